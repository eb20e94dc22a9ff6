/**
 * The rows of a table with a row for each audience are in two partitions: those that strangers may find, and those for
 * insiders alone. Each index of a condition is there twice, of one partition each (`database/migrations`), so that what a
 * search reads, and how long it takes, does not depend on rows that its caller may never find.
 */
import { anyOf, columnIn, join, limitTo, NEVER, raw, sql, type Sql } from '../../database/sql';
import type { Field } from '../../declare/completed';
import { exactRows } from '../../rights/held';
import { FEW, MAX_LISTED } from '../language/limits';
import { AUDIENCE } from '../projection/keys';
import type { Question } from './probe';
import { allOf, needsOwnTable, withoutIndex, type Selection, type Source } from './source';

/** As the indexes say it: SQLite compares the text of conditions. It would make an index of its own of an equality. */
const TOLD = raw(`s.audience < ${AUDIENCE.insiders}`);
const INSIDE = raw(`s.audience >= ${AUDIENCE.insiders}`);

/** How many rows for insiders a caller finds who does not see all objects exactly, as far as it matters. */
export type OwnRows = 'none' | 'few' | 'listed' | 'many';

/**
 * The partitions in which a caller finds rows. Those for insiders are looked at one by one where it sees but some exactly, so
 * that no index says how many others there are; there is no such list of more than `MAX_LISTED`.
 *
 * @param listed a `select` of these rows, where the statement has one already
 */
export function partitionsOf(source: Source, own: OwnRows, listed?: Sql): readonly Source[] {
  if (source.alias === 'o') return [source];
  const { access } = source;
  const told = { ...source, partition: TOLD };
  const inside = { ...source, partition: INSIDE, visible: source.visibleInside };
  if (access.exact() === 'all') return [told, inside];
  if (own === 'none') return [told];
  const rows = own === 'many' ? null : (listed ?? ownRows(source));
  if (!rows) return [told, inside];
  const isOwn = sql`${columnIn('s', 'id')} ${source.dialect.among(rows)}`;
  return [told, { ...inside, partition: allOf([INSIDE, isOwn]), isOneByOne: true }];
}

/**
 * The same for a scan of all rows, or in an order of the type's own table: none of the indexes serves it. How many rows there
 * are in all shows in its time, and nothing of what is in those that the caller may never find.
 */
export const scannedIn = (source: Source, partitions: readonly Source[]): readonly Source[] =>
  partitions.some(({ partition }) => partition === INSIDE)
    ? [source]
    : partitions.map((one) =>
        one.isOneByOne ? one : { ...one, partition: withoutIndex(one.partition) },
      );

const ownRows = ({ resource, resources, access, dialect }: Source): Sql | null =>
  exactRows(resource, access, resources, dialect, INSIDE);

const NAME = 'own rows';

interface OwnRowsQuestion extends Question<OwnRows> {
  /** A `select` of them, for another question, and the condition that they are few, or none. */
  readonly rows: Sql;
  readonly areFew: Sql;
}

/** @returns null where there is nothing to ask: the caller sees all exactly, or nothing by itself */
export function ownRowsOf(source: Source): OwnRowsQuestion | null {
  const { access, alias } = source;
  if (alias === 'o' || access.exact() === 'all') return null;
  const rows = ownRows(source);
  if (!rows) return null;
  const count = raw('(select count(*) from own_rows)');
  return {
    common: [
      sql`own_rows(id) as materialized (select * from (${rows}) r${limitTo(MAX_LISTED + 1)})`,
    ],
    rows: raw('select w.id from own_rows w'),
    areFew: sql`${count} <= ${raw(String(FEW))}`,
    selects: [sql`select ${NAME} as name, cast(${count} as text) as found`],
    read(answers) {
      const found = Number(answers.get(NAME)?.[0] ?? 0);
      if (found > MAX_LISTED) return 'many';
      return found > FEW ? 'listed' : found > 0 ? 'few' : 'none';
    },
  };
}

/** The partitions that are met in an order. */
export const orderedIn = (
  source: Source,
  partitions: readonly Source[],
  order: readonly Field[],
): readonly Source[] =>
  order.some((field) => source.term(field).columns.some(needsOwnTable))
    ? scannedIn(source, partitions)
    : partitions;

/** What is found in a partition: rows that are listed are met by no index of a condition. */
export const foundIn = (source: Source, conditions: readonly Sql[]): Sql =>
  allOf([source.partition, fenced(source, allOf([...conditions, source.visible]))]);

/** A condition on rows of a partition, beside `foundIn`. */
export const fenced = ({ isOneByOne }: Source, condition: Sql): Sql =>
  isOneByOne ? withoutIndex(condition) : condition;

/** The disjunction of conditions each of which has an index, which SQLite uses where it sees the partition beside each. */
export function eitherOf({ partition, isOneByOne }: Source, conditions: readonly Sql[]): Sql {
  const possible = conditions.filter((one) => one !== NEVER);
  return possible.length < 2 || isOneByOne
    ? anyOf(possible)
    : anyOf(possible.map((one) => allOf([partition, one])));
}

/** What all partitions of a scan have in common. */
export function sharedSource({
  selections: [first],
}: {
  selections: readonly Selection[];
}): Source {
  if (!first) throw new RangeError('a scan of no partition');
  return first.source;
}

/** The rows of several partitions. @param shown what is selected, of each the same */
export const rowsIn = (selections: readonly Selection[], shown: Sql): Sql =>
  join(
    selections.map(
      ({ source, where }) => sql`select ${shown} from ${source.from(where, shown)} where ${where}`,
    ),
    ' union all ',
  );
