/** What decides over the table and the rows of a projection, as data: two versions with the same are the same. */
import { hash } from 'node:crypto';
import type { Dialect } from '../../../database/database';
import type { SearchIndex } from '../../../database/search-tables';
import type { Field, Resource, Resources } from '../../../declare/completed';
import type { KeptDeclaration } from '../../../declare/kept-version';
import type { SearchTable } from '../../../declare/search-table';
import { positionOf } from '../../../declare/position';
import { holdersOf } from '../../../define/holders';
import { searchColumnsOf } from '../../../kinds/search-columns';
import { isSpan } from '../../../kinds/traits';
import { compileAccess } from '../../../rights/access';
import { DEFAULT_SITE } from '../../../site/settings';
import { namingFields, sortedText, textFields, wordParts } from '../texts';
import { tableShape } from './table-shape';

/** Of the code that makes rows of all types (`audience-rows.ts`): counted up when it makes others of the same objects. */
const ROWS = 1;

/** The same of the words and names of types that are searched in their own tables (`parts.ts`, `names.ts`). */
const WORDS = 1;

/** A value of JSON that is compared as a whole. */
type Told = unknown;

/** A declaration of a projection, as it is stored. */
export interface DeclaredProjection {
  /** Without the same of it, nobody can read a table. */
  readonly rows: Told;
  /** By their names. */
  readonly fields: Readonly<Record<string, { readonly columns: Told; readonly views: Told }>>;
  readonly words: Told;
  /** What decides over what strangers find, beside the views of fields. */
  readonly privacy: Told;
  readonly indexes: readonly SearchIndex[];
}

export function declaredProjection(
  resource: Resource,
  table: SearchTable,
  resources: Resources,
  dialect: Dialect,
): DeclaredProjection {
  const { views } = resource;
  const fields = table.fields.flatMap((name) => resource.fields.get(name) ?? []);
  const texts = [...textFields(resource), ...namingFields(resource)];
  return {
    rows: {
      version: ROWS,
      time: fields.find(isSpan)?.name ?? null,
      sort: sortedText(resource)?.name ?? null,
      position: positionOf(resource)?.map(({ name }) => name) ?? [],
    },
    fields: byName(fields, (field) => ({
      columns: searchColumnsOf(field).map(({ name, type }) => [name, type]),
      views: viewsOf(field),
    })),
    words: byName(texts, seenOf),
    privacy: {
      version: table.version,
      views: [...(views?.names ?? [])],
      untold: views?.untold ?? null,
      exact: views?.exact ?? null,
      others: strangersViewOf(resource, resources, dialect),
      holders: holdersOf(resource),
    },
    indexes: [...tableShape(resource, table).indexes].sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

const byName = <T>(fields: readonly Field[], told: (field: Field) => T): Record<string, T> =>
  Object.fromEntries(
    [...fields]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((field) => [field.name, told(field)]),
  );

/** Functions are left out of JSON: what they do is counted by `version`. */
const viewsOf = ({ views }: Field): Told => [...views].sort(([a], [b]) => (a < b ? -1 : 1));

/** Who finds the words of a field. */
const seenOf = (field: Field): Told => ({ views: viewsOf(field), seen: field.seen });

/** The same of a type whose words and names are kept with those of others (`in-place.ts`). */
export const declaredWords = (resource: Resource): KeptDeclaration => ({
  made: { version: WORDS, sort: sortedText(resource)?.name ?? null },
  told: {
    // Their order decides which part has which number.
    parts: wordParts(resource).map(({ fields }) => fields.map((one) => [one.name, seenOf(one)])),
    suggested: (resource.suggested?.names ?? []).map(({ name }) => name),
  },
});

/** The condition that decides over the view of strangers. */
function strangersViewOf(resource: Resource, resources: Resources, dialect: Dialect): Told {
  const nobody = { role: 'anonymous', claims: false } as const;
  const alone = { resources, dialect, access: () => undefined, privacy: DEFAULT_SITE };
  const view = compileAccess(resource, nobody, new Set(), alone).strangersView('o');
  return view && [view.chunks, view.parameters];
}

/** The text that is stored. */
export const storedText = (declared: DeclaredProjection): string => JSON.stringify(declared);

/** The name of a declaration: of its text. */
export const hashOf = (declared: DeclaredProjection): string =>
  hash('sha256', storedText(declared), 'hex').slice(0, 8);

/** How a table of an earlier declaration can be read by the present code. */
export interface Usable {
  /** The fields that it has as they are declared now. */
  readonly fields: readonly string[];
  /** Whether its words are those of now. */
  readonly hasWords: boolean;
  /** Whether its rows for strangers may be looser than they would be now. */
  readonly isExactOnly: boolean;
}

export const isSameJson = (one: Told, other: Told): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** @param earlier as it is stored @returns null where nobody can read it */
export function usableBy(now: DeclaredProjection, earlier: DeclaredProjection): Usable | null {
  if (!isSameJson(now.rows, earlier.rows)) return null;
  const fields = Object.entries(now.fields).filter(([name, { columns }]) =>
    isSameJson(columns, earlier.fields[name]?.columns),
  );
  const areViewsSame = fields.every(([name, { views }]) =>
    isSameJson(views, earlier.fields[name]?.views),
  );
  return {
    fields: fields.map(([name]) => name),
    hasWords: isSameJson(now.words, earlier.words),
    isExactOnly: !areViewsSame || !isSameJson(now.privacy, earlier.privacy),
  };
}
