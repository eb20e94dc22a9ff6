/**
 * The taxon that an encounter is protected as through its individual (contract, section 6, "Location privacy", 2): a fact
 * stored with the encounter, so that whoever owns the individual cannot open it.
 */
import { isUuid } from '../../core/formats';
import { amongRows } from '../../plugins/objects/server/database/row-ids';
import { sql, type Sql, type SqlValue } from '../../plugins/objects/server/database/sql';
import { ask, type Work } from '../../plugins/objects/server/database/work';
import type {
  Affected,
  Kept,
  KeptContext,
  LookUpContext,
  Rule,
} from '../../plugins/objects/server/declare/behavior';
import type { FieldDeclaration } from '../../plugins/objects/server/declare/declaration';
import { queueIndividual } from './privacy-jobs';
import { codeIn } from './level';
import { isPrivileged } from '../../plugins/objects/server/declare/row';
import type { Body } from '../../plugins/objects/server/declare/objects';

/** The question by whose answer a transaction knows the taxon of an individual. */
export const taxonQuestion = (individual: string): string =>
  `taxon of the individual ${individual}`;

/**
 * Looks up the taxa of individuals that encounters refer to, which nobody changes until the transaction ends.
 *
 * @param ids of individuals; what is none is left out
 */
function* learnTaxa(ids: readonly unknown[], { references, dialect }: LookUpContext): Work<void> {
  const asked = ids.filter((id): id is string => typeof id === 'string' && isUuid(id));
  const unknown = [...new Set(asked.map((id) => id.toLowerCase()))]
    .filter((id) => references.answer(taxonQuestion(id)) === undefined)
    .sort();
  if (unknown.length === 0) return;
  const listed = dialect.jsonItems(sql`${JSON.stringify(unknown)}`);
  const rows = yield* ask(
    sql`select i.document_id, (select t.document_id from taxonomies t where t.id = i.taxonomy_id)
      from individuals i where i.document_id ${dialect.among(sql`select j.value from ${listed}`)}
      order by i.id${dialect.forKeyShare}`,
  );
  for (const [id = null, taxon = null] of rows)
    references.putAnswer(taxonQuestion(String(id)), taxon);
}

const FIELDS = ['individual', 'taxonomy'] as const;

const isMoved = (before: Body | null, after: Body): boolean =>
  before === null || FIELDS.some((name) => before[name] !== after[name]);

/** Looks up what `settle` needs. It refuses nothing. */
export const learnsProtection: Rule = {
  fields: ['individual'],
  *check(after, context) {
    if (isMoved(context.before, after)) yield* learnTaxa([after['individual']], context);
    return [];
  },
  *lookAhead(encounters, context) {
    yield* learnTaxa(
      encounters.map(({ individual }) => individual),
      context,
    );
  },
};

/** The field after a change by who may update the encounter: that of its individual, where one of the two has changed. */
export const settleProtection: NonNullable<FieldDeclaration['settle']> = (
  after,
  { before, references },
) => {
  const { individual } = after;
  if (!isMoved(before, after)) return after['protected_as'] ?? null;
  return typeof individual === 'string'
    ? (references.answer(taxonQuestion(individual)) ?? null)
    : null;
};

/** Encounters whose rows are changed at once: others are served between two such statements. */
const CHUNK = 500;

/** Whether the taxon that the encounter `e` is protected as is open, or none. */
const IS_OPEN = sql`coalesce((select ${codeIn('p')} from taxonomies p where p.id = e.protected_as_id), 0) <= 0`;

/** Whether the individual `i` is of a taxon that is not open. */
const IS_CLOSED = sql`(select ${codeIn('p')} from taxonomies p where p.id = i.taxonomy_id) > 0`;

/**
 * Protects encounters as the taxon of their individual.
 *
 * @param which a condition on the encounter `e` and its individual `i`
 * @returns the row IDs of those that have changed
 */
function* protect(which: Sql, { dialect }: Pick<KeptContext, 'dialect'>): Work<SqlValue[]> {
  const rows = yield* ask(
    sql`select e.id from individuals i join encounters e on e.individual_id = i.id
      where ${which} and coalesce(e.protected_as_id, 0) <> coalesce(i.taxonomy_id, 0) order by e.id`,
  );
  const ids = rows.map(([id = null]) => id);
  for (let at = 0; at < ids.length; at += CHUNK)
    yield* ask(
      sql`update encounters set protected_as_id =
          (select i.taxonomy_id from individuals i where i.id = encounters.individual_id)
        where id ${amongRows(ids.slice(at, at + CHUNK), dialect)}`,
    );
  return ids;
}

/**
 * After taxa are no longer open: protects the encounters of their individuals that are not protected through another
 * taxon. In the transaction that changes the taxa.
 */
export function* lendProtection(taxa: readonly SqlValue[], context: KeptContext): Work<void> {
  if (taxa.length === 0) return;
  const { dialect } = context;
  const individuals = yield* ask(
    sql`select i.id from individuals i where i.taxonomy_id ${amongRows(taxa, dialect)} order by i.id`,
  );
  for (let at = 0; at < individuals.length; at += CHUNK) {
    const some = individuals.slice(at, at + CHUNK).map(([id = null]) => id);
    yield* protect(sql`i.id ${amongRows(some, dialect)} and ${IS_OPEN}`, context);
  }
}

/** After encounters have come to another individual: protects those that were not protected. @returns which these are */
export const protectMoved = (ids: readonly SqlValue[], context: KeptContext): Work<SqlValue[]> =>
  protect(sql`e.id ${amongRows(ids, context.dialect)} and ${IS_CLOSED} and ${IS_OPEN}`, context);

/** What of a change of an individual concerns its encounters. */
function conditionOf({ rowId, before, after }: Affected, { caller }: KeptContext): Sql | null {
  // What was merged into another one has no encounters of its own: they are protected as they were.
  if (after === null || (after['merged_into'] ?? null) !== null) return null;
  const isGiven = before === null;
  if (isGiven && ((after['encounters'] ?? []) as readonly unknown[]).length === 0) return null;
  // Whoever makes an individual of encounters may update these.
  const isDecision = isGiven || (caller !== null && isPrivileged(caller.role));
  return isDecision ? sql`i.id = ${rowId}` : sql`i.id = ${rowId} and ${IS_CLOSED} and ${IS_OPEN}`;
}

/** Encounters that are generalized anew in the transaction of a change; of more, the job does it. */
const FEW = 500;

/** The taxa that encounters are protected as, which follow a change of their individual's taxon. */
export const protectedAs = (
  generalizeAnew: (ids: readonly SqlValue[], context: KeptContext) => Work<void>,
): Kept => ({
  name: 'protected_as',
  of: 'individual',
  fields: ['taxonomy'],
  // A stored fact, which no rebuild can compute.
  keptIn: [],
  leavesWork: true,
  *follow(affected, context) {
    for (const one of affected) {
      const which = conditionOf(one, context);
      if (!which) continue;
      const changed = yield* protect(which, context);
      if (changed.length > FEW) yield* queueIndividual(one.rowId, context);
      else if (changed.length > 0) yield* generalizeAnew(changed, context);
    }
  },
  *rebuild() {
    // It is not computed from what is stored.
  },
});
