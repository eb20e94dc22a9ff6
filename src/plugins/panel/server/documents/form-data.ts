/** Converts a document of Strapi's services to a body of the API. */
import { isDeepStrictEqual } from 'node:util';
import { definitionOf } from '../../../objects/server/kinds';
import { filePath } from '../../../objects/server/kinds/path';
import type { Field, Resource } from '../../../objects/server/declare/completed';
import { OF_STRAPI } from '../../../objects/server/define/stored';
import type { Body } from '../../../objects/server/declare/objects';
import { isSecret, traitsOf } from '../../../objects/server/kinds/traits';

type Data = Readonly<Record<string, unknown>>;

/** Attributes that Strapi adds and manages, and the version, which is a condition and not a change. */
const IGNORED = new Set([...OF_STRAPI, 'version']);

/** Whether the panel edits a field as JSON text. */
const isJson = ({ kind, columns }: Field): boolean =>
  definitionOf(kind).json === 'json' && columns.length > 0;

/** The attributes that store lists of references: a form sends only their changes. */
export const listAttributes = ({ fields }: Resource): string[] =>
  [...fields.values()].flatMap(({ attribute, columns, link, ...field }) =>
    traitsOf(field).refers === 'list' && attribute !== null && (link !== null || columns.length > 0)
      ? attribute
      : [],
  );

/**
 * The body of a create or an update.
 *
 * @param data the document's data: attributes by their names in Strapi
 * @param stored the present document with its lists, null on create. The panel sends whole documents, with attributes
 *   that nobody may write: unchanged ones are left out.
 */
export function bodyOf(resource: Resource, data: Data, stored: Data | null): Body {
  const byAttribute = fieldsByAttribute(resource);
  const body: Record<string, unknown> = {};
  for (const [attribute, value] of Object.entries(data)) {
    if (IGNORED.has(attribute) || resource.hidden.has(attribute) || value === undefined) continue;
    const field = byAttribute.get(attribute);
    // Figures move without the version: what a form holds may be old.
    if (field?.figure) continue;
    if (isFixed(field, stored) && isUnchanged(value, before(field, attribute, stored))) continue;
    const given = field ? wireValue(field, value, stored) : value;
    if (given !== undefined) body[field?.name ?? attribute] = given;
  }
  return body;
}

const fieldsByAttribute = (resource: Resource): ReadonlyMap<string, Field> =>
  new Map(
    [...resource.fields.values()].flatMap((field) =>
      [field.attribute ?? field.name, ...(field.figure?.attributes ?? [])].map((name) => [
        name,
        field,
      ]),
    ),
  );

/** Whether nobody may write it: a derived field, a column that the writer fills, the ID of a stored document. */
function isFixed(field: Field | undefined, stored: Data | null): boolean {
  if (!field) return true;
  return field.derived && !(field.name === 'id' && stored === null);
}

/** The value without this change: the stored one, or the default of a new document's form. */
const before = (field: Field | undefined, attribute: string, stored: Data | null): unknown =>
  stored === null ? field?.default : stored[attribute];

const isUnchanged = (value: unknown, stored: unknown): boolean =>
  isDeepStrictEqual(value ?? null, stored ?? null);

function wireValue(field: Field, value: unknown, stored: Data | null): unknown {
  switch (traitsOf(field).refers) {
    case 'one':
      return referenceOf(value);
    case 'file':
      return pathOf(field, referenceOf(value));
    case 'list':
      return referencesOf(value, stored?.[field.attribute ?? '']);
    case 'edges':
      return edgesOf(value);
    case undefined:
  }
  // A form never shows a secret: an empty input does not change it.
  if (isSecret(field) && !value && stored !== null) return undefined;
  // A cleared input: no field distinguishes an empty text from an absent one.
  if (value === '') return null;
  if (typeof value === 'string' && isJson(field)) return parsed(value);
  return value;
}

/** The edges without the names that forms show beside them. */
const edgesOf = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((edge: unknown) => withoutName(edge)) : value;

function withoutName(edge: unknown): unknown {
  if (typeof edge !== 'object' || edge === null) return edge;
  return Object.fromEntries(Object.entries(edge).filter(([name]) => name !== 'name'));
}

/** The form has a relation, the API the path of the file of its target. */
const pathOf = ({ to }: Field, id: unknown): unknown =>
  typeof id === 'string' && to !== null ? filePath(to, id) : id;

/** Parses JSON that the panel sends as text; invalid JSON is passed on for the validator to refuse. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** A document in a relation of Strapi: its ID, or an object with the ID. */
type Linked = string | { readonly documentId?: unknown; readonly id?: unknown };

/** The changes of a relation: one entry or a list of them. */
interface Links {
  readonly connect?: readonly Linked[] | Linked;
  readonly disconnect?: readonly Linked[] | Linked;
  readonly set?: readonly Linked[] | Linked | null;
}

/**
 * The ID of the new target of a relation: null for none, undefined if it does not change. The number of a row is passed
 * on for the validator to refuse, because it is not an ID of the API.
 */
function referenceOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('documentId' in value || 'id' in value) return idOf(value);
  const { connect = [], disconnect = [], set } = value as Links;
  const linked = [set ?? [], connect].flat().at(-1);
  if (linked !== undefined) return idOf(linked);
  return set !== undefined || [disconnect].flat().length > 0 ? null : undefined;
}

/** The IDs of the whole list, computed from its changes. */
function referencesOf(value: unknown, stored: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { connect = [], disconnect = [], set } = value as Links;
  const before: readonly Linked[] = Array.isArray(stored) ? (stored as Linked[]) : [];
  const gone = new Set([disconnect].flat().map(idOf));
  const kept = (set === undefined ? before : [set ?? []].flat()).map(idOf);
  const added = [connect].flat().map(idOf);
  if (set === undefined && gone.size + added.length === 0) return undefined;
  return [...new Set([...kept.filter((id) => !gone.has(id)), ...added])];
}

/** What is no link is passed on as 0, for the validator to refuse. */
const idOf = (linked: Linked | null): unknown =>
  typeof linked === 'object' ? (linked ? (linked.documentId ?? linked.id) : 0) : linked;
