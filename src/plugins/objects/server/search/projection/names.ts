/**
 * The names by which objects are suggested while somebody types, a row for each word: what begins there has one key. They are
 * kept with the words of the objects (`parts.ts`).
 */
import { tokensOf } from '../../../../../core/words';
import type { Dialect } from '../../database/database';
import { amongRows } from '../../database/row-ids';
import { raw, sql, type SqlValue } from '../../database/sql';
import { ask, tell, type Work } from '../../database/work';
import type { KeptColumns } from '../../declare/behavior';
import type { Field, Resource } from '../../declare/completed';
import type { IndividualName } from '../../kinds/individual-names';
import { isPlainObject } from '../../kinds/normalize';
import { cutKey, MAX_KEY } from './texts';

export const NAMES = 'oms_search_names';

export const keptNames: KeptColumns = {
  table: NAMES,
  key: 'id',
  columns: ['type', 'later', 'language', 'key', 'name'],
};

/** The last code point: behind all keys that begin so. */
export const LAST = '\u{10ffff}';

/** Characters of a key that begins within a name, and how many words have one: what one name takes is bounded. */
const MAX_LATER_KEY = 100;
const MAX_KEYS = 16;

/** The language of a name that is the same in all of them. */
export const ANY_LANGUAGE = '';

/** A language without script and region, which do not matter here. @param tag BCP 47 */
export const primaryLanguage = (tag: string): string => tag.replace(/-.*/, '').toLowerCase();

/** The key of what somebody has typed; empty where it has no word. */
export const typedKey = (text: string): string => cutKey(tokensOf(text).join(' '));

interface Name {
  readonly language: string;
  readonly text: string;
}

/** The names in the value of a field. */
function namesIn(value: unknown): readonly Name[] {
  if (typeof value === 'string') return [{ language: ANY_LANGUAGE, text: value }];
  if (Array.isArray(value))
    return (value as readonly IndividualName[]).map((name) => ({
      language: ANY_LANGUAGE,
      text: name.value,
    }));
  if (!isPlainObject(value)) return [];
  return Object.entries(value).map(([tag, text]) => ({
    language: primaryLanguage(tag),
    text: String(text),
  }));
}

function rowsOf(type: string, id: number, { language, text }: Name): SqlValue[][] {
  const tokens = tokensOf(text);
  return tokens.slice(0, MAX_KEYS).map((_, at) => {
    const isLater = at > 0;
    const key = cutKey(tokens.slice(at).join(' '), isLater ? MAX_LATER_KEY : MAX_KEY);
    return [type, id, isLater ? 1 : 0, language, key, text];
  });
}

/** An object, and the values of its fields. */
export interface Named {
  readonly id: number;
  readonly of: (field: Field) => unknown;
}

const allRows = ({ type, suggested }: Resource, objects: readonly Named[]): readonly SqlValue[][] =>
  objects.flatMap(({ id, of }) =>
    (suggested?.names ?? []).flatMap((field) =>
      namesIn(of(field)).flatMap((name) => rowsOf(type, id, name)),
    ),
  );

const INTO = `${NAMES} (type, id, later, language, key, name)`;

/** Keeps the names of these objects, of which none are kept yet. */
export function* keepNames(
  resource: Resource,
  objects: readonly Named[],
  dialect: Dialect,
): Work<void> {
  const rows = allRows(resource, objects);
  if (rows.length === 0) return;
  for (const insert of dialect.insertRows(INTO, rows)) yield* tell(insert);
}

/** Those of these objects of which other names are kept. It only reads. */
export function* differingNames(
  resource: Resource,
  ids: readonly SqlValue[],
  objects: readonly Named[],
  dialect: Dialect,
): Work<SqlValue[]> {
  if (!resource.suggested) return [];
  const stored = yield* ask(
    sql`select type, id, later, language, key, name from ${raw(NAMES)}
      where type = ${resource.type} and id ${amongRows(ids, dialect)}`,
  );
  const byId = (rows: readonly (readonly SqlValue[])[]): Map<number, string> => {
    const texts = new Map<number, string[]>();
    for (const row of rows) {
      const known = texts.get(Number(row[1])) ?? [];
      texts.set(Number(row[1]), [...known, JSON.stringify(row.map(String))]);
    }
    return new Map([...texts].map(([id, some]) => [id, some.sort().join()]));
  };
  const [kept, made] = [byId(stored), byId(allRows(resource, objects))];
  return ids.filter((id) => kept.get(Number(id)) !== made.get(Number(id)));
}
