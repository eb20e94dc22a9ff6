/** What of an object searches find by its words, and in which order they put it. */
import { foldText, tokensOf } from '../../../../../core/words';
import { literal, sql, type Sql } from '../../database/sql';
import type { Field, Resource } from '../../declare/completed';
import type { IndividualName } from '../../kinds/individual-names';
import { isPlainObject } from '../../kinds/normalize';
import { isForEverybody } from '../../declare/row';
import { otherViews } from '../../declare/views';
import { isReference, traitsOf } from '../../kinds/traits';

/** Stands between the tokens of two texts, so that no phrase leads from one to the other. Folding leaves none. */
const GAP = '\uE001';
/** Before what is no token of a text: the row ID of what a field refers to. */
const REFERENCE = '\uE000';

const referencePrefix = (field: string): string => `${REFERENCE}${field.replaceAll('_', '')}`;

/** The token of a reference: a renamed object changes none of those that refer to it. */
export const referenceToken = (field: string, rowId: number | string): string =>
  `${referencePrefix(field)}${rowId}`;

/** The same as SQL. @param rowId null has none */
export const referenceTokenSql = (field: string, rowId: Sql): Sql =>
  sql`${literal(referencePrefix(field))} || cast(${rowId} as text)`;

const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value))
    return value.flatMap((item: unknown) =>
      isPlainObject(item) ? [(item as unknown as IndividualName).value] : [String(item)],
    );
  return isPlainObject(value) ? Object.values(value).map(String) : [];
};

/** The tokens of the values of fields, each text apart from the next. */
export function tokensOfValues(values: readonly unknown[]): string[] {
  const all: string[] = [];
  for (const value of values) {
    for (const text of textsIn(value)) {
      const tokens = tokensOf(text);
      if (tokens.length === 0) continue;
      if (all.length > 0) all.push(GAP);
      for (const token of tokens) all.push(token);
    }
  }
  return all;
}

/** Characters of a key: PostgreSQL has a limit for what an index holds. */
export const MAX_KEY = 200;

/** A text without what an index does not hold. */
export const cutKey = (text: string, most = MAX_KEY): string =>
  text.length <= most ? text : [...text].slice(0, most).join('');

/** By which objects are sorted by a text. */
export function sortKeyOf(value: unknown): string | null {
  return typeof value === 'string' ? cutKey(foldText(value)) : null;
}

/** Fields whose words the same callers may find. */
export interface WordPart {
  readonly part: number;
  readonly fields: readonly Field[];
}

const isOwnText = (field: Field): boolean => field.words && !isReference(field);

/** The fields through which an object is found by the words of another one. */
export const namingFields = ({ fields }: Resource): Field[] =>
  [...fields.values()].filter((field) => field.words && isReference(field));

/** The field with a text by which the objects are sorted, and that has a key of its own for this. */
export const sortedText = ({ fields }: Resource): Field | null =>
  [...fields.values()].find((field) => field.sort && traitsOf(field).hasSortKey) ?? null;

export const textFields = ({ fields }: Resource): Field[] => [...fields.values()].filter(isOwnText);

/** The fields with words, by who sees them: at first those that every reader of the object does. */
export function wordParts(resource: Resource): WordPart[] {
  const parts = new Map<string, Field[]>([['', []]]);
  for (const field of textFields(resource)) {
    const views = otherViews(field, resource.views);
    const isPublic = isForEverybody(field.seen) && views.length === 0;
    const key = isPublic ? '' : JSON.stringify([field.seen, views]);
    parts.set(key, [...(parts.get(key) ?? []), field]);
  }
  return [...parts.values()].map((fields, part) => ({ part, fields }));
}
