/** What a change of an encounter or individual says of when strangers are told of it (contract, section 6, "When"). */
import { sql } from '../../plugins/objects/server/database/sql';
import { askOne, type Work } from '../../plugins/objects/server/database/work';
import type {
  ActionContext,
  Rule,
  RuleContext,
} from '../../plugins/objects/server/declare/behavior';
import type { FieldDeclaration } from '../../plugins/objects/server/declare/declaration';
import { STRICTEST } from './level';
import { NOBODY } from '../../plugins/objects/server/declare/row';
import type { Body } from '../../plugins/objects/server/declare/objects';
import { dateOf, NOT_TOLD, telling, tellingOf, type Telling } from './domain/told-from';
import { learnLevels, learnProtection } from './levels';
import { HIDDEN, knownLevel, storedLevel, viewLevel } from './privacy';
import { settleProtection } from './protected-as';

/** What decides over the level of an encounter. */
const DECIDING = ['location_privacy', 'taxonomy', 'individual', 'protected_as'] as const;

const isApproved = (encounter: Body | null): boolean => encounter?.['state'] === 'approved';

/** Whether a change dates an encounter: it comes to be approved, or its level may change before it is told. */
const isDated = (after: Body, before: Body | null): boolean =>
  isApproved(after) &&
  (before === null ||
    !isApproved(before) ||
    (tellingOf(before).untold_since !== null &&
      DECIDING.some((name) => before[name] !== after[name])));

/** The encounter as it will be protected. */
const withProtection = (after: Body, context: RuleContext): Body => ({
  taxonomy: after['taxonomy'],
  location_privacy: after['location_privacy'],
  protected_as: settleProtection(after, context),
});

/** Looks up what `settled` needs. It refuses nothing. After `learnsProtection`. */
export const learnsLevel: Rule = {
  fields: ['individual', 'taxonomy', 'location_privacy'],
  *check(after, context) {
    if (!isDated(after, context.before)) return [];
    const encounter = withProtection(after, context);
    yield* learnLevels([encounter['taxonomy'], encounter['protected_as']], context);
    yield* learnProtection([encounter], context);
    return [];
  },
};

function settled(after: Body, context: RuleContext): Telling {
  const { before, site, now, references } = context;
  if (!isApproved(after)) return NOT_TOLD;
  if (!isDated(after, before)) return tellingOf(after);
  const known = knownLevel(withProtection(after, context), site, (asked) =>
    references.answer(asked),
  );
  const today = dateOf(now);
  const since = (isApproved(before) ? tellingOf(after).untold_since : null) ?? today;
  const level = viewLevel(known ?? STRICTEST, site);
  return telling({ since, level, today, tellHidden: site.tellHidden });
}

/**
 * The same of a review, which changes the state alone.
 *
 * @param encounter as it is stored
 */
export function* tellingAfter(
  encounter: Body,
  state: string,
  { site, now }: Pick<ActionContext, 'site' | 'now'>,
): Work<Telling> {
  if (state !== 'approved') return NOT_TOLD;
  const row = yield* askOne(
    sql`select ${storedLevel('e', site)} from encounters e where e.document_id = ${String(encounter['id'])}`,
  );
  const today = dateOf(now);
  const level = viewLevel(Number(row?.[0] ?? STRICTEST), site);
  return telling({ since: today, level, today, tellHidden: site.tellHidden });
}

/**
 * The two fields of a type that is told late.
 *
 * @param settle what a change says
 * @param description of the date
 */
export function tellingFields(
  settle: (after: Body, context: RuleContext) => Telling,
  description: string,
) {
  /** What is said of the object that was asked about last: both fields are asked for one after the other. */
  let last: { after: Body; telling: Telling } | null = null;
  const once = (after: Body, context: RuleContext): Telling => {
    if (last?.after !== after) last = { after, telling: settle(after, context) };
    return last.telling;
  };
  return {
    told_from: {
      views: HIDDEN,
      seen: ['own'],
      derived: true,
      settle: (after, context) => once(after, context).told_from,
      description,
    },
    untold_since: {
      views: HIDDEN,
      seen: NOBODY,
      derived: true,
      settle: (after, context) => once(after, context).untold_since,
      description:
        'While strangers are not told of it: the date of the later of creation and approval.',
    },
  } satisfies Record<string, FieldDeclaration>;
}

export const encounterTelling = tellingFields(
  settled,
  'The date (UTC) from which on strangers are told of it, as far as its level and state let them: the first of a month or year where it is not open and the site says so (`tell_hidden`).',
);
