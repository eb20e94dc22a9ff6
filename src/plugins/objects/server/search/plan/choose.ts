/** Finds out how a search is carried out best, by one statement. */
import { anyOf, NEVER } from '../../database/sql';
import { belowOf } from './subtrees';
import { glanceBriefly, glanceByWords } from './early';
import type { Cut } from '../execute/page';
import type { SearchQuery } from '../language/query';
import { answersTo } from './probe';
import type { Run } from '../execute/run';
import { leadOf, type Lead } from './candidates';
import type { Place } from '../conditions/sort-keys';
import type { Source } from '../conditions/source';
import { waysOf, withSpans, type Ways } from './scans';
import { meaningOf, namesOf } from '../conditions/expansion';

export interface Plan {
  readonly lead: Lead;
  readonly ways: Ways;
}

export interface Asked {
  /** The places of the page and one more, where a glance has found them all. */
  readonly places: readonly Place[] | null;
  /** How all is found. */
  readonly planOf: () => Plan;
}

/**
 * Asks what has to be known before a search is compiled.
 *
 * @param page what is wanted of all and one more, where that may be all that is wanted; null for everything: whether few
 *   rows are looked at does not matter then
 * @param runFor runs what looks at few rows, and what may not
 */
export async function ask(
  source: Source,
  { conditions, count, sort }: SearchQuery,
  page: Cut | null,
  runFor: (isBrief: boolean) => Run,
): Promise<Asked> {
  const spans = withSpans(conditions);
  const words = conditions.find((one) => one.by === 'words') ?? null;
  const names = words && namesOf(source, words);
  const isInTime = sort.every(({ from }) => from === undefined);
  const isGlance = page !== null && count === 'none' && page.limit > 1 && isInTime;
  const glance = !isGlance
    ? null
    : words && names
      ? glanceByWords(source, conditions, words, names, page)
      : glanceBriefly(source, conditions, page);
  const isFull = glance?.isFull ?? NEVER;
  const lead = leadOf(source, spans, words !== null, page !== null, isFull);
  const below = belowOf(source, conditions);
  const meaning = words && names && meaningOf(source, words, names, anyOf([isFull, lead.isFound]));
  const questions = [meaning, glance, lead, below].filter((one) => one !== null);
  const answers = await answersTo(questions, runFor(lead.isBrief));
  return {
    places: glance?.read(answers) ?? null,
    planOf() {
      const found = lead.read(answers);
      const resolved = below.read(answers);
      const known = { each: conditions.map(resolved), spans: spans.map(resolved) };
      const by = found.by && resolved(found.by);
      const ways = waysOf(source, known, meaning?.read(answers) ?? null, by);
      return { lead: found, ways: words && glance ? { ...ways, glance: null } : ways };
    },
  };
}
