/** Chooses how a search is carried out: by what the database says of its conditions. */
import { anyOf, NEVER, sql } from '../../database/sql';
import type { CallerModel } from '../../read/model';
import { meaningOf, namesOf } from '../conditions/expansion';
import { isInKeyOrder } from '../conditions/key-order';
import { ownRowsOf } from '../conditions/partitions';
import { answersTo, type Question, type Run } from '../conditions/probe';
import type { SearchedIn, Source } from '../conditions/source';
import { MAX_SORTED, MAX_TOTAL } from '../language/limits';
import type { SearchQuery } from '../language/query';
import { isByDistance, isByIds, type Cut, type Place, type SortKey } from '../language/sort';
import type { WordsCondition } from '../language/tree';
import type { SearchMemory } from '../memory';
import { selectivityOf, type Selectivity } from './candidates';
import { earlyPage } from './early';
import type { PageScan, Plan, Runs } from './plan';
import { scansOf, withSpans, type Resolved, type Scans } from './scans';
import { subtreesIn } from './subtrees';

/** Runs statements that look at few rows, and those that may take long. */
export type Runner = Readonly<Record<Runs, Run>>;

/** What the database says of a search. */
export interface Probed {
  /** Where the search finds the type. */
  readonly source: Source;
  /** The places of the page and one more, if the first rows had them all. */
  readonly places: readonly Place[] | null;
  readonly isEarlyTried: boolean;
  readonly selectivity: Selectivity;
  readonly resolved: Resolved;
  /** Where it was asked: the page may run elsewhere. */
  readonly askedIn: Runs;
}

/**
 * Asks by one statement what has to be known before a search is planned; once more, where objects wait to be generalized anew.
 * Where they begin to wait later, the search finds what was found when it began.
 *
 * @param page what is wanted of all and one more, where that may be all that is wanted; null for everything: whether few
 *   rows are looked at does not matter then
 */
export async function probe(
  memory: SearchMemory,
  type: string,
  compiled: CallerModel,
  query: SearchQuery,
  page: Cut | null,
  runner: Runner,
): Promise<Probed> {
  const probeIn = (where: SearchedIn) =>
    askedOf(memory, memory.source(type, compiled, where), query, page, runner);
  const { isOutdated, ...probed } = await probeIn('current');
  return isOutdated ? probeIn('checked') : probed;
}

async function askedOf(
  memory: SearchMemory,
  source: Source,
  { conditions, count, sort }: SearchQuery,
  page: Cut | null,
  runner: Runner,
): Promise<Probed & { readonly isOutdated: boolean }> {
  const spans = withSpans(conditions);
  const words = conditions.find((one): one is WordsCondition => one.by === 'words') ?? null;
  const names = words && namesOf(source, words);
  const isOnePage = page !== null && count === 'none' && page.limit > 1 && !isByDistance(sort);
  const early = isOnePage ? earlyPage(source, conditions, words, names, page) : null;
  const isFull = early?.isFull ?? NEVER;
  const unplanned = { conditions: spans, hasWords: words !== null, isBoundUsed: page !== null };
  const candidates = selectivityOf(memory, source, unplanned, isFull);
  const subtrees = subtreesIn(source, conditions);
  const own = ownRowsOf(source);
  const meaning =
    words && names && meaningOf(source, words, names, anyOf([isFull, candidates.isFound]));
  const outdated = outdatedOf(source);
  const questions = [outdated, own, meaning, early, candidates, subtrees].filter(
    (one) => one !== null,
  );
  const askedIn = candidates.isBrief ? 'inline' : 'worker';
  const answers = await answersTo(questions, runner[askedIn]);
  const resolve = subtrees.read(answers);
  const selectivity = candidates.read(answers);
  return {
    source,
    isOutdated: outdated.read(answers),
    places: early?.read(answers) ?? null,
    isEarlyTried: words !== null && early !== null,
    selectivity,
    resolved: {
      own: own?.read(answers) ?? 'none',
      each: conditions.map(resolve),
      spans: spans.map(resolve),
      words: meaning?.read(answers) ?? null,
      selective: selectivity.by && resolve(selectivity.by),
    },
    askedIn,
  };
}

const OUTDATED = 'outdated';

function outdatedOf({ isOutdated }: Source): Question<boolean> {
  if (isOutdated === NEVER) return { selects: [], read: () => false };
  const found = sql`case when ${isOutdated} then 1 else 0 end`;
  return {
    selects: [sql`select ${OUTDATED} as name, cast(${found} as text) as found`],
    read: (answers) => Number(answers.get(OUTDATED)?.[0]) !== 0,
  };
}

/** How a page of a search is found. */
export function choose(query: SearchQuery, probed: Probed): Plan {
  const { source, places, selectivity, resolved, isEarlyTried } = probed;
  if (places) return { by: 'early', places, runs: probed.askedIn };
  const { conditions, sort, after, count } = query;
  const areFew = resolved.own === 'none' || resolved.own === 'few';
  const bound = areFew ? selectivity.bound : null;
  const scans = scansOf(source, resolved, sort);
  if (bound && after === null) return { by: 'collect', rows: scans.index, bound, runs: 'inline' };
  const runs = bound ? 'inline' : 'worker';
  const isPlain = conditions.length === 0;
  const many = broadPage(scans, sort);
  if (count === 'none' && isPlain) return { by: 'page', page: many, runs };
  // The question of the probe looked at fewer of the first rows, unless there were words: it is asked once more, for more.
  const isEarly = count === 'none' && !isEarlyTried && !isByDistance(sort);
  return {
    by: 'count',
    rows: scans.index,
    upTo: { none: isByIds(sort) ? MAX_TOTAL : MAX_SORTED, bounded: MAX_TOTAL, exact: null }[count],
    few: isPlain ? null : sortedPage(scans),
    many,
    early: isEarly ? scans.early : null,
    runs,
  };
}

/** Where few are found: they are collected and sorted. */
export const sortedPage = ({ index }: Scans): PageScan => ({ rows: index, order: 'sorted' });

/** Where many are found. No index has the order of distances: all that is near is sorted. */
export function broadPage(scans: Scans, sort: readonly SortKey[]): PageScan {
  if (isByDistance(sort)) return sortedPage(scans);
  const { words, ordered } = scans;
  const isByWords = words?.selections.some(({ source }) => isInKeyOrder(source, sort)) === true;
  return { rows: words && isByWords ? words : ordered, order: 'met' };
}
