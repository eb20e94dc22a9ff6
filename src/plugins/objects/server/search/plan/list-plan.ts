/**
 * How a list of the panel is found: its conditions may be on any attribute, and those that no index finds are checked on the
 * first rows alone.
 */
import { isUuid } from '../../../../../core/formats';
import { wordsOf } from '../../../../../core/words';
import { NEVER, type Sql } from '../../database/sql';
import { compile, conditionSql } from '../conditions/compile';
import { meaningOf, namesOf } from '../conditions/expansion';
import { answersTo, type Run } from '../conditions/probe';
import { allOf, withoutIndex, type Source } from '../conditions/source';
import { hasWords, streamedBy, type Streamed } from '../conditions/words';
import { MAX_TOTAL, MAX_WORDS } from '../language/limits';
import type { ListQuery } from '../language/list-query';
import { conjuncts, type Condition, type FieldCondition } from '../language/tree';
import type { CountPlan } from './plan';
import type { Scan, WordsScan } from './scans';

export interface ListPlan extends CountPlan {
  /** Conditions that no index finds: they are checked on the first `MAX_TOTAL` rows. */
  readonly residual: readonly Sql[];
}

export async function planList(source: Source, query: ListQuery, run: Run): Promise<ListPlan> {
  const all = conjuncts(query.filter).map((one) => ({ one, ...compile(source, one) }));
  const indexed = all.filter(({ isIndexed }) => isIndexed);
  const found = indexed.map((one) => one.sql);
  const residual = all.filter(({ isIndexed }) => !isIndexed).map((one) => one.sql);
  const text = query.words === null ? null : await textCondition(source, query.words, run);
  const streamed = text?.by === 'words' ? streamedBy(source, text) : null;
  const named = text ? [conditionSql(source, text)] : [];
  const by = [...indexed.map(({ one }) => one), ...(text ? [text] : [])];
  const rows: Scan =
    streamed && found.length === 0
      ? wordsScan(streamed, by, [streamed.meets, source.visible])
      : { scan: 'index', by, source, where: allOf([...found, ...named, source.visible]) };
  return {
    by: 'count',
    rows,
    upTo: MAX_TOTAL,
    few: by.length === 0 ? null : { rows, order: 'sorted' },
    many: { rows: broadScan(source, query, { found, by, text, named, streamed }), order: 'met' },
    early: null,
    runs: 'worker',
    residual,
  };
}

interface Parts {
  /** Conditions for which there are indexes. */
  readonly found: readonly Sql[];
  readonly by: readonly Condition[];
  readonly text: FieldCondition | null;
  /** The same as SQL. */
  readonly named: readonly Sql[];
  readonly streamed: Streamed | null;
}

/** In the order of the list. The indexes of equal values have the order of time beside them, and no other one. */
function broadScan(
  source: Source,
  { sort: [only, ...others] }: ListQuery,
  { found, by, text, named, streamed }: Parts,
): Scan {
  const isInTime = others.length === 0 && only?.attribute === 'time';
  const checked = (conditions: readonly Sql[]): Sql =>
    allOf([...conditions.map(withoutIndex), source.visible]);
  if (streamed && isInTime) return wordsScan(streamed, by, [streamed.meets, checked(found)]);
  const onTheWay = text?.by === 'words' ? [hasWords(source, text)] : named;
  const where = isInTime ? [...found, checked(onTheWay)] : [checked([...found, ...onTheWay])];
  return { scan: 'ordered', by: isInTime ? by : [], source, where: allOf(where) };
}

const wordsScan = (
  { source, key }: Streamed,
  by: readonly Condition[],
  where: readonly Sql[],
): WordsScan => ({ scan: 'words', by, source, where: allOf(where), key });

/** All words occur, or it is the ID. */
async function textCondition(source: Source, text: string, run: Run): Promise<FieldCondition> {
  const id = text.trim();
  if (isUuid(id)) return { by: 'id', id: id.toLowerCase() };
  const asked = { by: 'words', words: wordsOf(id).slice(0, MAX_WORDS) } as const;
  const meaning = meaningOf(source, asked, namesOf(source, asked), NEVER);
  return meaning.read(await answersTo([meaning], run));
}
