/**
 * What differs from a key by one typo: a letter wrong, missing or added, or two neighbors swapped. Which letters may stand in
 * a place is seen in the index of names, one step for each letter that there is.
 */
import type { Dialect } from '../../database/database';
import { raw, sql, type Sql } from '../../database/sql';
import { LAST, NAMES } from '../projection/names';

/** Letters of a key that may have a typo: of fewer, everything would differ by one. */
const MIN_LETTERS = 3;

/** Letters from which on it may be the beginning of a name, and not only a whole one. */
const MIN_BEGINNING = 4;

/** Letters of one script are at most so far from each other, in blocks of this size. */
const BLOCK = 256;

/** Scripts of one key whose letters are looked for. */
const MAX_BLOCKS = 3;

export const hasTypos = (key: string): boolean => [...key].length >= MIN_LETTERS;

/** A place for another letter: the key before it, between which letters it is, and what follows. */
interface Place {
  readonly head: string;
  readonly low: string;
  readonly high: string;
  /** What follows if the letter stands for another one, and if one is missing. */
  readonly wrong: string;
  readonly missing: string;
}

/** The code point behind a block; there are no letters among the surrogates. */
function lastOf(block: number): string {
  const end = (block + 1) * BLOCK;
  return String.fromCodePoint(end === 0xd800 ? 0xe000 : Math.min(end, 0x10ffff));
}

/** Letters of the scripts in which the key is written. */
function placesIn(letters: readonly string[]): Place[] {
  const written = letters.map((letter) => Math.floor((letter.codePointAt(0) ?? 0) / BLOCK));
  const blocks = [...new Set(written)].slice(0, MAX_BLOCKS);
  return letters.flatMap((_, at) => {
    const head = letters.slice(0, at).join('');
    return blocks.map((block) => ({
      head,
      low: head + String.fromCodePoint(block * BLOCK || 1),
      high: head + lastOf(block),
      wrong: letters.slice(at + 1).join(''),
      missing: letters.slice(at).join(''),
    }));
  });
}

/** The keys without a letter, or with two letters in each other's place. */
function knownTypos(letters: readonly string[]): string[] {
  const typos = letters.flatMap((letter, at) => {
    const [before, after] = [letters.slice(0, at), letters.slice(at + 1)];
    const [next, ...rest] = after;
    const without = [...before, ...after].join('');
    return next === undefined ? [without] : [without, [...before, next, letter, ...rest].join('')];
  });
  const key = letters.join('');
  return [...new Set(typos)].filter((typo) => typo !== key);
}

const PLACES = ['head', 'low', 'high', 'wrong', 'missing'] as const;

/**
 * The `with` of a statement: its table `v` has the ranges of keys, from `key` to `ends`, with one typo; `later` as in the
 * index.
 */
export function misspelt(type: string, key: string, dialect: Dialect): Sql {
  const letters = [...key];
  const places = placesIn(letters).map((place) => PLACES.map((name) => place[name]));
  const list = dialect.jsonRows(sql`${JSON.stringify(places)}`, [
    ...PLACES.map((name) => ({ name, type: 'text' as const })),
  ]);
  const typos = dialect.jsonItems(sql`${JSON.stringify(knownTypos(letters))}`);
  const names = raw(`${NAMES} k`);
  const next = (from: Sql): Sql => sql`(select substr(k.key, length(p.head) + 1, 1) from ${names}
    where k.type = ${type} and k.later = l.later and ${from} and k.key < p.high order by k.key limit 1)`;
  const ends = letters.length < MIN_BEGINNING ? raw("key || ' '") : sql`key || ${LAST}`;
  // Of few letters only whole names: those that end where the key does.
  return sql`with recursive l(later) as (select 0 union all select 1),
    p as materialized (select r.* from ${list}),
    c(later, head, low, high, wrong, missing, letter) as (
      select l.later, p.head, p.low, p.high, p.wrong, p.missing, ${next(raw('k.key >= p.low'))} from p cross join l
      union all
      select l.later, p.head, p.low, p.high, p.wrong, p.missing, ${next(sql`k.key > p.head || p.letter || ${LAST}`)}
        from c p cross join l where p.letter is not null and l.later = p.later),
    t(later, key) as (
      select later, head || letter || wrong from c where letter is not null
      union select later, head || letter || missing from c where letter is not null
      union select l.later, j.value from ${typos} cross join l),
    v(later, key, ends) as materialized (select later, key, ${ends} from t
      where not (key >= ${key} and key < ${key + LAST}))`;
}
