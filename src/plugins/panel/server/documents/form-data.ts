/** From a document as Strapi's services take it to a body as the wire has it. */
import { isDeepStrictEqual } from 'node:util';
import { definitionOf } from '../../../objects/server/kinds';
import { filePath } from '../../../objects/server/kinds/path';
import type { Field, Resource } from '../../../objects/server/define/completed';
import { OF_STRAPI } from '../../../objects/server/define/stored';
import type { Body } from '../../../objects/server/types';

type Data = Readonly<Record<string, unknown>>;

/** What Strapi sends along and keeps for itself, and the version, which is no change but a condition. */
const IGNORED = new Set([...OF_STRAPI, 'version']);

/** Kinds that are edited as a text of JSON. */
const isJson = ({ kind, columns }: Field): boolean =>
  definitionOf(kind).json === 'json' && columns.length > 0;

/** The attributes that hold lists of references: of these a form sends the changes. */
export const listAttributes = ({ fields }: Resource): string[] =>
  [...fields.values()].flatMap(({ kind, attribute, columns, link }) =>
    kind === 'references' && attribute !== null && (link !== null || columns.length > 0)
      ? attribute
      : [],
  );

/**
 * The body of a create or an update.
 *
 * @param data the document's data: attributes by their names in Strapi
 * @param stored the document as it is, with its lists, null for one that is being made. The panel sends a document
 *   back whole, with what nobody may write in it: where that is unchanged, it is left out.
 */
export function bodyOf(resource: Resource, data: Data, stored: Data | null): Body {
  const byAttribute = fieldsByAttribute(resource);
  const body: Record<string, unknown> = {};
  for (const [attribute, value] of Object.entries(data)) {
    if (IGNORED.has(attribute) || resource.hidden.has(attribute) || value === undefined) continue;
    const field = byAttribute.get(attribute);
    if (isFixed(field, stored) && isUnchanged(value, before(field, attribute, stored))) continue;
    const given = field ? wireValue(field, value, stored) : value;
    if (given !== undefined) body[field?.name ?? attribute] = given;
  }
  return body;
}

const fieldsByAttribute = (resource: Resource): ReadonlyMap<string, Field> =>
  new Map([...resource.fields.values()].map((field) => [field.attribute ?? field.name, field]));

/** Nobody may write it: a derived field, a column that the writer fills, an ID that has been given. */
function isFixed(field: Field | undefined, stored: Data | null): boolean {
  if (!field) return true;
  return field.derived && !(field.name === 'id' && stored === null);
}

/** What it would be without this change; of a new document, what its form begins with. */
const before = (field: Field | undefined, attribute: string, stored: Data | null): unknown =>
  stored === null ? field?.default : stored[attribute];

const isUnchanged = (value: unknown, stored: unknown): boolean =>
  isDeepStrictEqual(value ?? null, stored ?? null);

function wireValue(field: Field, value: unknown, stored: Data | null): unknown {
  if (field.kind === 'reference') return referenceOf(value);
  if (field.kind === 'path') return pathOf(field, referenceOf(value));
  if (field.kind === 'references') return referencesOf(value, stored?.[field.attribute ?? '']);
  // A form never shows a secret: its input is empty, and leaves it as it is.
  if (field.kind === 'secret' && !value && stored !== null) return undefined;
  // An input that has been emptied; no field of ours tells an empty text from none.
  if (value === '') return null;
  if (typeof value === 'string' && isJson(field)) return parsed(value);
  return value;
}

/** The form has a relation, where the wire has the path of what it leads to. */
const pathOf = ({ to }: Field, id: unknown): unknown =>
  typeof id === 'string' && to !== null ? filePath(to, id) : id;

/** JSON that the panel sends as text; what is none stays, for the check to name. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** A document as Strapi names it in a relation: by its ID, or by an object that holds it. */
type Linked = string | { readonly documentId?: unknown; readonly id?: unknown };

/** The changes of a relation: one entry or a list of them. */
interface Links {
  readonly connect?: readonly Linked[] | Linked;
  readonly disconnect?: readonly Linked[] | Linked;
  readonly set?: readonly Linked[] | Linked | null;
}

/**
 * The ID of the document that a relation comes to point to: null for none, undefined when it stays
 * as it is. A row's number is passed on as it is, for the check to refuse: it is not an ID here.
 */
function referenceOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('documentId' in value || 'id' in value) return idOf(value);
  const { connect = [], disconnect = [], set } = value as Links;
  const linked = [set ?? [], connect].flat().at(-1);
  if (linked !== undefined) return idOf(linked);
  return set !== undefined || [disconnect].flat().length > 0 ? null : undefined;
}

/** The IDs of a whole list, from the changes of one. */
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

const idOf = (linked: Linked): unknown =>
  typeof linked === 'object' ? (linked.documentId ?? linked.id) : linked;
