/**
 * Suggests objects while somebody types: by the beginning of a name, then of a word in a name, and where these are too few by
 * one typo. A caller is suggested what a search finds for it: the condition is the same, and nothing is cut before it.
 */
import type { Caller } from '../../../../../core/caller';
import { issue, malformed, type Issue } from '../../../../../core/errors';
import { fits, normalizeText } from '../../../../../core/text';
import { ALWAYS, join, raw, sql, type Sql } from '../../database/sql';
import type { Row } from '../../database/work';
import type { Field, Resource } from '../../declare/completed';
import type { Model } from '../../read/model';
import type { Suggestion } from '../../declare/objects';
import { summaries, type Included, type Summary } from '../../read/include';
import { FEW } from '../language/limits';
import { wholeNumber } from '../../read/paging';
import { ANY_LANGUAGE, LAST, NAMES, primaryLanguage, typedKey } from '../projection/names';
import type { SearchMemory } from '../memory';
import { runnerFor } from '../execute/run';
import { type Run } from '../conditions/probe';
import { readerOf } from '../execute/search';
import type { Source } from '../conditions/source';
import { hasTypos, misspelt } from './typos';
import { traitsOf } from '../../kinds/traits';

export const DEFAULT_SUGGESTIONS = 10;
export const MAX_SUGGESTIONS = 50;
/** Characters of what is typed. */
export const MAX_TYPED = 256;

/** A name that was found. */
interface Match {
  readonly id: string;
  readonly name: string;
  /** By the field: the ID of what the object refers to. */
  readonly beside: readonly (readonly [field: Field, id: string | null])[];
}

/**
 * @param language a BCP 47 tag: names in this language come before others that are as good
 * @throws ApiError what refuses the read, MALFORMED with the parameters that are wrong
 */
export async function suggest(
  memory: SearchMemory,
  type: string,
  parameters: ReadonlyMap<string, string>,
  language: string,
  caller: Caller,
): Promise<readonly Suggestion[]> {
  const { model } = memory;
  const compiled = readerOf(model, type, caller);
  const { key, limit } = readParameters(parameters);
  if (key === '') return [];
  const source = memory.source(type, compiled, 'own');
  source.expectWords?.(type);
  const asked = { source, key, language: primaryLanguage(language), limit };
  const { inline, worker } = runnerFor(model, caller, 'few');
  const found = await spelt(asked, (await isBrief(asked, inline)) ? inline : worker);
  const wanted = limit - found.size;
  if (wanted > 0 && hasTypos(key))
    for (const match of await misspeltNames(asked, worker))
      if (found.size < limit && !found.has(match.id)) found.set(match.id, match);
  return described(model, source.resource, [...found.values()], caller);
}

interface Asked {
  readonly source: Source;
  readonly key: string;
  readonly language: string;
  readonly limit: number;
}

function readParameters(parameters: ReadonlyMap<string, string>) {
  const issues: Issue[] = [];
  const typed = parameters.get('q');
  const text = normalizeText(typed ?? '');
  if (typed === undefined) issues.push(issue('q', 'REQUIRED', {}));
  if (!fits(text, MAX_TYPED)) issues.push(issue('q', 'TOO_LONG', { max: MAX_TYPED }));
  const most = parameters.get('limit');
  const limit =
    most === undefined
      ? DEFAULT_SUGGESTIONS
      : wholeNumber('limit', most, issues, [1, MAX_SUGGESTIONS]);
  for (const name of parameters.keys())
    if (name !== 'q' && name !== 'limit') issues.push(issue(name, 'UNKNOWN', {}));
  if (issues.length > 0) throw malformed(issues);
  return { key: typedKey(text), limit };
}

const ofType = ({ resource: { type } }: Source): Sql => sql`k.type = ${type}`;
const beginsWith = (key: string): Sql => sql`k.key >= ${key} and k.key < ${key + LAST}`;

/** Whether few names are looked at, whatever the caller may see of them. */
async function isBrief({ source, key }: Asked, run: Run): Promise<boolean> {
  if (source.visible === ALWAYS) return true;
  const [[count] = []] = await run(
    sql`select count(*) from (select 1 from ${raw(NAMES)} k
      where ${ofType(source)} and k.later in (0, 1) and ${beginsWith(key)} limit ${raw(String(FEW + 1))}) n`,
  );
  return Number(count) <= FEW;
}

/** What is selected of a name: its object and its text, and what the object refers to. */
function selected({ resource, resources, documentId }: Source): Sql {
  const beside = (resource.suggested?.beside ?? []).map((field) => {
    const { table } = resources.get(field.to ?? '') ?? resource;
    return sql`(select b.document_id from ${raw(table)} b where b.id = o.${raw(field.columns[0] ?? '')})`;
  });
  return join([documentId, raw('k.name'), ...beside]);
}

const matchIn = ({ resource }: Source, [id, name, ...beside]: Row): Match => ({
  id: String(id),
  name: String(name),
  beside: (resource.suggested?.beside ?? []).map((field, at) => {
    const to = beside[at] ?? null;
    return [field, to === null ? null : String(to)];
  }),
});

/** One object may have many names that begin alike: this many for each that is wanted, and more if these are too few. */
const NAMES_FOR_EACH = 4;
const MORE = 8;

/**
 * How many names are read at first: one of two numbers, so that there are few texts of statements, which the database keeps
 * prepared. To plan them took PostgreSQL a third of the time.
 */
const firstNames = (limit: number): number =>
  NAMES_FOR_EACH * (limit <= DEFAULT_SUGGESTIONS ? DEFAULT_SUGGESTIONS : MAX_SUGGESTIONS);

/** By what was typed as it is. @returns the best name of each object, the best one first */
async function spelt(asked: Asked, run: Run): Promise<Map<string, Match>> {
  const { source, limit } = asked;
  for (let most = firstNames(limit); ; most *= MORE) {
    const rows = await run(speltNames(asked, most));
    const found = new Map<string, Match>();
    for (const row of rows.toSorted((a, b) => Number(a[0]) - Number(b[0]))) {
      const match = matchIn(source, row.slice(1));
      if (!found.has(match.id) && found.size < limit) found.set(match.id, match);
    }
    if (found.size === limit || rows.length < most) return found;
  }
}

/** The names in the order of an index, one rank after the other, until there are enough. */
function speltNames({ source, key, language }: Asked, most: number): Sql {
  const limit = raw(`limit ${most}`);
  const isTranslated = source.resource.suggested?.names.some((one) => traitsOf(one).isTranslated);
  const mine = sql`k.language = ${language}`;
  const any = sql`k.language = ${ANY_LANGUAGE}`;
  const others = sql`k.language not in (${language}, ${ANY_LANGUAGE})`;
  const inLanguages = isTranslated ? [mine, any, others] : [ALWAYS];
  const exact = sql`k.later = 0 and k.key = ${key}`;
  const ranks = [
    ...inLanguages.map((spoken) => sql`${exact} and ${spoken}`),
    ...['0', '1'].flatMap((later) =>
      inLanguages.map(
        (spoken) => sql`k.later = ${raw(later)} and ${spoken} and ${beginsWith(key)}`,
      ),
    ),
  ];
  const parts = ranks.map(
    (condition, rank) =>
      sql`select * from (select ${raw(String(rank))} as rank, ${selected(source)} ${rowsWith(source)}
        where ${ofType(source)} and ${condition} and o.id = k.id and ${source.visible} order by k.key, k.id ${limit}) ${raw(`r${rank}`)}`,
  );
  return sql`${join(parts, ' union all ')} ${limit}`;
}

/** The names, and then their objects. */
const rowsWith = ({ resource: { table } }: Source): Sql =>
  sql`from ${raw(NAMES)} k cross join ${raw(table)} o`;

/** By what differs from it by one typo, in the same ranks: there may be many, of which the best are described. */
async function misspeltNames(asked: Asked, run: Run): Promise<readonly Match[]> {
  const { source, key, language, limit } = asked;
  const { type, table } = source.resource;
  const object = raw(`cross join ${table} o`);
  const [seen, isSeen] =
    source.visible === ALWAYS
      ? [raw(''), ALWAYS]
      : [object, sql`o.id = k.id and ${source.visible}`];
  const begins = sql`${ofType(source)} and k.later = v.later and k.key >= v.key and k.key < v.ends`;
  const best = sql`select k.id, k.name, k.key,
      case when k.later = 0 and k.key = v.key then 0 when k.later = 0 then 1 else 2 end as rank,
      case k.language when ${language} then 0 when ${ANY_LANGUAGE} then 1 else 2 end as spoken
    from v ${source.dialect.lookUp(NAMES, 'k', begins)} ${seen} where ${isSeen}
    order by rank, spoken, k.key, k.id limit ${raw(String(firstNames(limit) * MORE))}`;
  const rows = await run(sql`${misspelt(type, key, source.dialect)}
    select ${selected(source)} from (${best}) k ${object} where o.id = k.id
    order by k.rank, k.spoken, k.key, k.id`);
  return rows.map((row) => matchIn(source, row));
}

/** What of a summary a suggestion has already. */
const NOT_BESIDE: ReadonlySet<string> = new Set(['id', 'display_name']);

/** The matches with what is told of their objects, as far as the caller may read them. */
async function described(
  model: Model,
  resource: Resource,
  found: readonly Match[],
  caller: Caller,
): Promise<readonly Suggestion[]> {
  const wanted = new Map<string, Set<string>>();
  const want = (type: string, id: string): void =>
    void wanted.set(type, (wanted.get(type) ?? new Set()).add(id));
  for (const { id, beside } of found) {
    want(resource.type, id);
    for (const [{ to }, target] of beside) if (to !== null && target !== null) want(to, target);
  }
  const known = await summaries(model, resource, wanted, caller);
  return found.flatMap(({ id, name, beside }): Suggestion[] => {
    const summary = known[resource.type]?.[id];
    if (!summary) return [];
    const { display_name: text } = summary;
    const references = beside.map(([field, target]) => [
      field.name,
      referred(known, field, target),
    ]);
    const further = Object.entries(summary).filter(([key]) => !NOT_BESIDE.has(key));
    const detail = Object.fromEntries([...further, ...references]) as Suggestion['detail'];
    return [{ id, text, matched: name, detail }];
  });
}

function referred(known: Included, { to }: Field, id: string | null): Partial<Summary> | null {
  const summary = id === null ? undefined : known[to ?? '']?.[id];
  return summary ? { id: summary.id, display_name: summary.display_name } : null;
}
