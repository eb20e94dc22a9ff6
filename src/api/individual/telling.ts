/**
 * When strangers are told of an individual whose level is not open (contract, section 6, "When"). An open encounter tells
 * its individual, as it is stored: who may read it is told of both (`figures.ts`).
 */
import { ALWAYS, raw, sql, type Sql } from '../../plugins/objects/server/database/sql';
import { askOne, type Work } from '../../plugins/objects/server/database/work';
import type { KeptContext, Rule, RuleContext } from '../../plugins/objects/server/declare/behavior';
import type { PrivacyJob } from '../encounter/privacy-jobs';
import { levelOfIndividual, STRICTEST } from '../encounter/level';
import type { Body } from '../../plugins/objects/server/declare/objects';
import { dateOf, telling, tellingOf, type Telling } from '../encounter/domain/told-from';
import { learnLevels, learnProtection } from '../encounter/levels';
import { knownLevel } from '../encounter/privacy';
import { tellingFields } from '../encounter/settle-telling';
import { dateAnew, type ToldLate } from '../encounter/telling';

export const individuals: ToldLate = {
  table: 'individuals',
  level: (privacy) => levelOfIndividual(raw('e.taxonomy_id'), privacy),
  viewOf: (level) => level,
  *follow() {
    // Nothing is made of what strangers are told of it.
  },
};

/** The question by whose answer a transaction knows whether strangers are told of any that become this one. */
const mergedInto = ({ id }: Body): string => `whether what becomes ${String(id)} is told`;

const isUntold = (individual: Body): boolean => tellingOf(individual).untold_since !== null;

const isDated = (after: Body, before: Body | null): boolean =>
  before === null || (isUntold(before) && before['taxonomy'] !== after['taxonomy']);

/** Looks up what `settled` needs. It refuses nothing. */
export const learnsIndividualLevel: Rule = {
  fields: ['taxonomy'],
  *check(after, context) {
    const { before, merged, dialect, references } = context;
    if (before !== null && isUntold(before) && merged.length > 0) {
      const listed = dialect.jsonItems(sql`${JSON.stringify(merged)}`);
      const row = yield* askOne(
        sql`select 1 from individuals i where i.untold_since is null
          and i.document_id ${dialect.among(sql`select j.value from ${listed}`)} limit 1`,
      );
      references.putAnswer(mergedInto(before), row ? 1 : 0);
    }
    if (!isDated(after, before)) return [];
    yield* learnLevels([after['taxonomy']], context);
    yield* learnProtection([{ taxonomy: after['taxonomy'] }], context);
    return [];
  },
};

function settled(after: Body, { before, merged, site, now, references }: RuleContext): Telling {
  const today = dateOf(now);
  const isMergedWithTold = (into: Body): boolean =>
    merged.length > 0 && Number(references.answer(mergedInto(into)) ?? 0) === 1;
  if (before !== null && isUntold(before) && isMergedWithTold(before))
    return { told_from: today, untold_since: null };
  if (!isDated(after, before)) return tellingOf(after);
  const since = (before && tellingOf(before).untold_since) ?? today;
  const alone = { taxonomy: after['taxonomy'], protected_as: null, location_privacy: null };
  const level = knownLevel(alone, site, (asked) => references.answer(asked)) ?? STRICTEST;
  return telling({ since, level, today, tellHidden: site.tellHidden });
}

export const individualTelling = tellingFields(
  settled,
  'The date (UTC) from which on strangers are told of it: the first of a month or year where its level is not open and the site says so (`tell_hidden`), or that of its first open encounter.',
);

/** The individuals whose level a job is about, as a condition on the row `e`; null for none. */
const CONCERNED: Readonly<Record<PrivacyJob['kind'], (target: number) => Sql | null>> = {
  all: () => ALWAYS,
  taxonomy: (target) => sql`e.taxonomy_id = ${target}`,
  untaxed: () => raw('e.taxonomy_id is null'),
  protected_as: () => null,
  individual: () => null,
};

/** Dates those individuals anew whose level has changed with that of the encounters of a job. */
export function* dateIndividuals({ kind, target }: PrivacyJob, context: KeptContext): Work<void> {
  const which = CONCERNED[kind](target);
  if (which) yield* dateAnew(individuals, which, context);
}
