/**
 * What Strapi stores of a type, as far as the completion needs it. Only this file reads Strapi's content types and the
 * column names of `strapi.db.metadata`, an internal of Strapi; a test compares it with a real instance.
 */
import type { Core, UID } from '@strapi/strapi';
import type { Link } from '../declare/completed';

export interface StoredAttribute {
  readonly type: string;
  readonly column: string | null;
  readonly enum: readonly string[];
  readonly required: boolean;
  readonly default: unknown;
  readonly min: number | null;
  readonly max: number | null;
  readonly minLength: number | null;
  readonly maxLength: number | null;
  /** For a relation: the content type that it points to, whether it is to-one, and its join table. */
  readonly target: string | null;
  readonly toOne: boolean;
  readonly link: Link | null;
}

export interface StoredType {
  readonly table: string;
  readonly attributes: ReadonlyMap<string, StoredAttribute>;
  /** The names of the unique indexes by their columns, joined by commas. */
  readonly uniqueIndexes: ReadonlyMap<string, string>;
}

/** Attributes that Strapi adds to every type beside `documentId`, and that are not on the wire. */
export const OF_STRAPI: readonly string[] = [
  'id',
  'createdAt',
  'updatedAt',
  'publishedAt',
  'createdBy',
  'updatedBy',
  'locale',
  'localizations',
];

const UNDECLARED = new Set(['documentId', ...OF_STRAPI]);

type Loose = Readonly<Record<string, unknown>>;

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** What Strapi stores of this type; null for an unknown type. Needs a connected database. */
export function storedType(strapi: Core.Strapi, uid: string): StoredType | null {
  const contentType = strapi.contentType(uid as UID.ContentType) as
    { attributes: Readonly<Record<string, Loose>>; indexes?: readonly Loose[] } | undefined;
  if (!contentType) return null;
  const model = strapi.db.metadata.get(uid);
  const attributes = new Map<string, StoredAttribute>();
  for (const [name, attribute] of Object.entries(contentType.attributes)) {
    if (UNDECLARED.has(name)) continue;
    attributes.set(name, storedAttribute(attribute, model.attributes[name] as Loose | undefined));
  }
  const uniqueIndexes = (contentType.indexes ?? [])
    .filter((index) => index['type'] === 'unique')
    .map((index) => [(index['columns'] as string[]).join(','), String(index['name'])] as const);
  return { table: model.tableName, attributes, uniqueIndexes: new Map(uniqueIndexes) };
}

function storedAttribute(attribute: Loose, stored: Loose | undefined): StoredAttribute {
  const join = stored?.['joinColumn'] as { name: string } | undefined;
  const relation = attribute['relation'];
  return {
    type: String(attribute['type']),
    column: join?.name ?? (stored?.['columnName'] as string | undefined) ?? null,
    enum: (attribute['enum'] as string[] | undefined) ?? [],
    required: attribute['required'] === true,
    default: attribute['default'],
    min: numberOf(attribute['min']),
    max: numberOf(attribute['max']),
    minLength: numberOf(attribute['minLength']),
    maxLength: numberOf(attribute['maxLength']),
    target: typeof attribute['target'] === 'string' ? attribute['target'] : null,
    toOne: relation === 'manyToOne' || relation === 'oneToOne',
    link: linkOf(stored?.['joinTable'] as JoinTable | undefined),
  };
}

interface JoinTable {
  readonly name: string;
  readonly joinColumn: { readonly name: string };
  readonly inverseJoinColumn: { readonly name: string };
  readonly orderColumnName?: string;
}

function linkOf(table: JoinTable | undefined): Link | null {
  if (table?.orderColumnName === undefined) return null;
  return {
    table: table.name,
    source: table.joinColumn.name,
    target: table.inverseJoinColumn.name,
    order: table.orderColumnName,
  };
}
