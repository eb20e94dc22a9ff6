/** The filters of a type: they follow from its fields and their kinds, and from nothing else. */
import type { Field, Resource, Resources } from '../../declare/completed';
import { definitionOf } from '../../kinds';
import { isShown } from '../../read/reader';
import { generalizationOf } from '../../declare/views';
import type { CustomField, CustomFieldType } from '../../site/settings';
import { isReference, isReferenceList, isSecret, traitsOf } from '../../kinds/traits';

/** How a filter compares. */
export type Comparison = 'is' | 'not' | 'min' | 'max';

/** What is compared. */
export type Subject =
  | { readonly kind: 'field'; readonly field: Field }
  | { readonly kind: 'name'; readonly field: Field }
  | { readonly kind: 'custom'; readonly field: Field; readonly custom: CustomField };

export interface FilterName {
  /** As in the query. */
  readonly name: string;
  readonly subject: Subject;
  readonly comparison: Comparison;
}

/** Whether values have an order, by which a range can be asked for. */
const hasRanges = (field: Field): boolean => {
  const { number, moment } = traitsOf(field);
  return number !== undefined || moment !== undefined;
};
const CUSTOM_RANGES: ReadonlySet<CustomFieldType> = new Set(['number', 'integer', 'date']);

/** Whether a field has a value that can be equal to another. */
const isComparable = (field: Field): boolean => {
  const { kind, columns, computed, listed, inverse, edges, link } = field;
  if (!isShown(field) || isSecret(field)) return false;
  if (isReferenceList(field) || traitsOf(field).isTextList)
    return [listed, inverse, edges, link].some((source) => source !== null) || columns.length > 0;
  const isScalar = definitionOf(kind).parameter !== null || traitsOf(field).moment !== undefined;
  return isScalar && (columns.length > 0 || computed !== null || isConstant(field));
};

/** Whether a field says of a view which one it is, and is stored nowhere. */
export const isConstant = ({ columns, views }: Field): boolean =>
  columns.length === 0 &&
  views.size > 0 &&
  [...views.values()].every((view) => generalizationOf(view)?.from.length === 0);

/** The fields by which a type can be searched. */
export const searchable = ({ fields }: Resource): Field[] =>
  [...fields.values()].filter(isComparable);

const named = (
  name: string,
  subject: Subject,
  isRange: boolean,
  comparisons: readonly Comparison[] = isRange ? ['is', 'not', 'min', 'max'] : ['is', 'not'],
): FilterName[] =>
  comparisons.map((comparison) => ({
    name: comparison === 'is' ? name : `${name}_${comparison}`,
    subject,
    comparison,
  }));

/** Made once for each type. */
const declared = new WeakMap<Resource, ReadonlyMap<string, FilterName>>();

/** The filters of a type that depend on its declaration alone, by name. */
export function filtersByName(resource: Resource): ReadonlyMap<string, FilterName> {
  const known = declared.get(resource);
  if (known) return known;
  const made = new Map(filtersOf(resource).map((one) => [one.name, one]));
  declared.set(resource, made);
  return made;
}

/** The same as a list. */
export function filtersOf(resource: Resource): FilterName[] {
  const fields = searchable(resource).flatMap((field) =>
    named(field.name, { kind: 'field', field }, hasRanges(field)),
  );
  const names = namesField(resource);
  return [
    ...fields,
    ...(names ? named(`${names.name}.value`, { kind: 'name', field: names }, false) : []),
  ];
}

/** The list of records whose keys are in a table of their own. */
export function namesField({ fields, uniqueRecords }: Resource): Field | null {
  const [records] = uniqueRecords;
  const found = [...fields.values()].find((field) => traitsOf(field).isNames);
  return records && found ? found : null;
}

export const customField = ({ fields }: Resource): Field | null =>
  [...fields.values()].find((field) => traitsOf(field).ofSite === 'fields') ?? null;

/** The filters by the fields that the site adds. */
export function customFilters(
  resource: Resource,
  definitions: readonly CustomField[],
): FilterName[] {
  const field = customField(resource);
  if (!field) return [];
  return definitions.flatMap((custom) =>
    named(
      `${field.name}.${custom.key}`,
      { kind: 'custom', field, custom },
      CUSTOM_RANGES.has(custom.type),
    ),
  );
}

/** A type whose objects form a tree, and the references to it: they can be searched by all below one object. */
export function subtreesOf(
  resource: Resource,
  resources: Resources,
): [name: string, field: Field][] {
  const isTree = (path: string | null): boolean =>
    [...(resources.get(path ?? '')?.fields.values() ?? [])].some(
      ({ tree, to }) => tree && to === path,
    );
  const id = resource.fields.get('id');
  const own =
    id && isTree(resource.type) ? [[`${resource.type}_under`, id] as [string, Field]] : [];
  const references = [...resource.fields.values()]
    .filter((field) => {
      const { to, tree, columns } = field;
      return isReference(field) && !tree && columns.length > 0 && isTree(to);
    })
    .map((field): [string, Field] => [`${field.name}_under`, field]);
  return [...own, ...references];
}

/** The fields that have a region of the site settings. */
export const regionFields = ({ fields }: Resource): Field[] =>
  [...fields.values()].filter((field) => traitsOf(field).ofSite === 'regions');

export const sortable = ({ fields }: Resource): Field[] =>
  [...fields.values()].filter(({ sort }) => sort);
