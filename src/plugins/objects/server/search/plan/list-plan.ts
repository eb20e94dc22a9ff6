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
import { orderedIn, partitionsOf, scannedIn } from '../conditions/partitions';
import { withoutIndex, type Source } from '../conditions/source';
import { hasWords, streamedBy, type Streamed } from '../conditions/words';
import { MAX_TOTAL, MAX_WORDS } from '../language/limits';
import type { ListQuery } from '../language/list-query';
import { conjuncts, type Condition, type FieldCondition } from '../language/tree';
import type { CountPlan } from './plan';
import { selectionOf, type Scan, type WordsScan } from './scans';

export interface ListPlan extends CountPlan {
  /** Conditions that no index finds: they are checked on the first `MAX_TOTAL` rows. */
  readonly residual: readonly Sql[];
}

export async function planList(source: Source, query: ListQuery, run: Run): Promise<ListPlan> {
  const all = conjuncts(query.filter).map((one) => ({ one, ...compile(source, one) }));
  const indexed = all.filter(({ isIndexed }) => isIndexed);
  const partitions = partitionsOf(source, 'none');
  const residual = all.filter(({ isIndexed }) => !isIndexed).map((one) => one.sql);
  const text = query.words === null ? null : await textCondition(source, query.words, run);
  const streamed = text?.by === 'words' ? streamedBy(source, text) : null;
  const by = [...indexed.map(({ one }) => one), ...(text ? [text] : [])];
  const isByWords = indexed.length === 0 && text?.by === 'words';
  const searched = by.length === 0 ? scannedIn(source, partitions) : partitions;
  const found = (one: Source): Sql[] => by.map((condition) => conditionSql(one, condition));
  const rows: Scan =
    streamed && isByWords
      ? wordsScan(streamed, by, [streamed.meets])
      : {
          scan: 'index',
          by,
          selections: (isByWords ? [source] : searched).map((one) => selectionOf(one, found(one))),
        };
  const sorted = [...source.resource.fields.values()].filter(({ attribute }) =>
    query.sort.some((one) => one.attribute === attribute),
  );
  const ordered = orderedIn(source, partitions, sorted);
  return {
    by: 'count',
    rows,
    upTo: MAX_TOTAL,
    few: by.length === 0 ? null : { rows, order: 'sorted' },
    many: {
      rows: broadScan(ordered, query, {
        indexed: indexed.map(({ one }) => one),
        text,
        streamed,
      }),
      order: 'met',
    },
    early: null,
    runs: 'worker',
    residual,
  };
}

interface Parts {
  /** Conditions for which there are indexes. */
  readonly indexed: readonly Condition[];
  readonly text: FieldCondition | null;
  readonly streamed: Streamed | null;
}

/** In the order of the list. The indexes of equal values have the order of time beside them, and no other one. */
function broadScan(
  partitions: readonly Source[],
  { sort: [only, ...others] }: ListQuery,
  { indexed, text, streamed }: Parts,
): Scan {
  const isInTime = others.length === 0 && only?.attribute === 'time';
  const by = [...indexed, ...(text ? [text] : [])];
  if (streamed && isInTime)
    return wordsScan(streamed, by, [
      streamed.meets,
      ...indexed.map((one) => withoutIndex(conditionSql(streamed.source, one))),
    ]);
  const selections = partitions.map((source) => {
    const found = indexed.map((one) => conditionSql(source, one));
    const onTheWay =
      text?.by === 'words' ? [hasWords(source, text)] : text ? [conditionSql(source, text)] : [];
    const where = isInTime
      ? [...found, ...onTheWay.map(withoutIndex)]
      : [...found, ...onTheWay].map(withoutIndex);
    return selectionOf(source, where);
  });
  return { scan: 'ordered', by: isInTime ? by : [], selections };
}

const wordsScan = (
  { source, key }: Streamed,
  by: readonly Condition[],
  where: readonly Sql[],
): WordsScan => ({ scan: 'words', by, selections: [selectionOf(source, where)], key });

/** All words occur, or it is the ID. */
async function textCondition(source: Source, text: string, run: Run): Promise<FieldCondition> {
  const id = text.trim();
  if (isUuid(id)) return { by: 'id', id: id.toLowerCase() };
  const asked = { by: 'words', words: wordsOf(id).slice(0, MAX_WORDS) } as const;
  const meaning = meaningOf(source, asked, namesOf(source, asked), NEVER);
  return meaning.read(await answersTo([meaning], run));
}
