/** Completes a field from its attribute and its declaration in `resource.ts`. */
import { definitionOf, isHolder, naturalKind } from '../kinds';
import type { Kind } from '../declare/kinds';
import { completeRow, EVERYBODY, NOBODY, type Right } from '../declare/row';
import { isSwitch } from '../site/switches';
import type { View, ViewDeclaration } from '../declare/views';
import { camelCase, DEFAULT_MAX_LENGTH, plainField } from '../declare/common';
import type { Field } from '../declare/completed';
import type { FieldDeclaration } from '../declare/declaration';
import type { DeclarationErrorCode } from '../declare/declaration-error';
import type { StoredAttribute, StoredType } from './stored';
import { isSecret, isSpan, traitsOf } from '../kinds/traits';

/** Names that the panel uses as parameters, and removes from the data that it saves. */
const OF_THE_PANEL = new Set(['status', 'locale']);

export interface FieldContext {
  readonly stored: StoredType;
  /** The paths of all types, by their UIDs. */
  readonly paths: ReadonlyMap<string, string>;
  /** @throws DeclarationError */
  readonly wrong: (code: DeclarationErrorCode) => never;
  /** @throws DeclarationError for a clause whose relation or switch does not exist */
  readonly checkRight: (right: Right) => void;
  /** The names of the type's views. */
  readonly views: readonly string[];
}

/** What a field has as it is declared, or as a plain field has it. */
const AS_DECLARED = [
  ...(['term', 'vocabulary', 'nullable', 'toStrangers', 'derived', 'onCreate', 'input'] as const),
  ...(['inverse', 'listed', 'edges', 'spellings', 'maxItems', 'fold', 'distinct'] as const),
  ...(['rejects', 'onDelete', 'attach', 'tree', 'alias', 'fill', 'derive', 'settle'] as const),
  ...(['computed', 'told', 'words', 'sort'] as const),
];

type Declared = (typeof AS_DECLARED)[number];

const declaredOf = (declared: FieldDeclaration): Partial<Pick<Field, Declared>> =>
  Object.fromEntries(
    AS_DECLARED.flatMap((name) => {
      const value = declared[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** @throws DeclarationError by `wrong` */
export function completeField(
  name: string,
  declared: FieldDeclaration,
  context: FieldContext,
): Field {
  const { stored, paths, wrong, checkRight, views } = context;
  const attributeName = declared.attribute ?? camelCase(name);
  const attribute = stored.attributes.get(attributeName) ?? null;
  if (attribute && OF_THE_PANEL.has(attributeName)) wrong('ATTRIBUTE_RESERVED');
  const kind = kindOf(attribute, declared, wrong);
  const to = traitsOf({ kind }).refers ? targetOf(attribute, declared, paths, wrong) : null;
  checkAttribute(attribute, declared, wrong);
  // Edges are in a table of ours: their attribute is for the panel's form, and has no column.
  const isStored =
    attribute !== null && !(declared.edges !== undefined && attribute.column === null);
  if (views.length > 0) checkLinks(declared, wrong);
  const seen = isSecret({ kind }) ? NOBODY : (declared.seen ?? EVERYBODY);
  return {
    ...plainField(name, kind, declared.description),
    ...declaredOf(declared),
    columns: isStored ? columnsOf(kind, attributeName, attribute, stored, wrong) : [],
    attribute: attribute && attributeName,
    required: isRequired(declared, attribute),
    default: attribute?.default ?? definitionOf(kind).empty,
    seen: completeRow(seen, checkRight),
    written: completeRow(declared.written ?? EVERYBODY, checkRight),
    figure: declared.figure ? figureOf(kind, attributeName, declared.figure, context) : null,
    link: attribute?.link ?? null,
    to,
    views: viewsOf(declared, kind, views, stored, wrong),
    ...boundsOf(kind, attribute, declared, wrong),
  };
}

const isRequired = (declared: FieldDeclaration, attribute: StoredAttribute | null): boolean =>
  declared.required === true || (attribute?.required === true && attribute.default === undefined);

/** Whether a field has what it needs in `schema.json`, and where else its value comes from. */
function checkAttribute(
  attribute: StoredAttribute | null,
  declared: FieldDeclaration,
  wrong: FieldContext['wrong'],
): void {
  const { derived: isDerived = false, edges, inverse, input } = declared;
  const isElsewhere = [edges, inverse, input].some((one) => one !== undefined);
  if (!attribute && !isDerived && !isElsewhere) wrong('ATTRIBUTE_MISSING');
  if (attribute?.required === true && isDerived) wrong('REQUIRED_DERIVED');
  if (isDerived && !isDerivedFromSomething(declared)) wrong('DERIVED_FROM_NOTHING');
}

/** Which values a field may have. */
function boundsOf(
  kind: Kind,
  attribute: StoredAttribute | null,
  declared: FieldDeclaration,
  wrong: FieldContext['wrong'],
): Pick<Field, 'choices' | 'min' | 'max' | 'minLength' | 'maxLength'> {
  const maxLength = declared.maxLength ?? attribute?.maxLength ?? DEFAULT_MAX_LENGTH;
  if (attribute?.type === 'string' && maxLength > DEFAULT_MAX_LENGTH) wrong('COLUMN_TOO_SHORT');
  const choices = declared.choices ?? attribute?.enum ?? [];
  if (traitsOf({ kind }).isChoice && choices.length === 0) wrong('CHOICES_MISSING');
  return {
    choices,
    min: attribute?.min ?? null,
    max: attribute?.max ?? null,
    minLength: declared.minLength ?? attribute?.minLength ?? 0,
    maxLength,
  };
}

/** What is told in a view may not lead to the same animal, place or moment, unless the operator decides so. */
function checkLinks({ views = {}, links }: FieldDeclaration, wrong: FieldContext['wrong']): void {
  const told = Object.values(views).filter((view) => view !== 'hidden');
  if (told.length === 0) return;
  if (links === undefined) wrong('LINKS_MISSING');
  if (links === 'animal' && told.includes('shown')) wrong('LINKS_SHOWN');
}

function figureOf(
  kind: Kind,
  full: string,
  { public: name, wider, isWithheld }: NonNullable<FieldDeclaration['figure']>,
  { stored, wrong, checkRight }: Pick<FieldContext, 'stored' | 'wrong' | 'checkRight'>,
): Field['figure'] {
  const holderOf = (held: string): StoredAttribute => {
    const attribute = stored.attributes.get(held) ?? wrong('ATTRIBUTE_MISSING');
    const isHolder = definitionOf(kind).attributes.includes(attribute.type);
    return isHolder ? attribute : wrong('KIND_MISMATCH');
  };
  const attributes = [full, name].flatMap((held) =>
    isSpan({ kind }) ? [held, `${held}Start`, `${held}End`] : [held],
  );
  return {
    columns: columnsOf(kind, name, holderOf(name), stored, wrong),
    wider: wider
      ? {
          column: holderOf(wider.attribute).column ?? wrong('JOIN_TABLE'),
          seen: completeRow({ user: wider.seen }, checkRight),
        }
      : null,
    attributes: [...attributes, ...(wider ? [wider.attribute] : [])],
    isWithheld,
  };
}

const isDerivedFromSomething = ({
  fill,
  derive,
  settle,
  inverse,
  listed,
  computed,
  given,
  figure,
  views = {},
}: FieldDeclaration): boolean =>
  [fill, derive, settle, inverse, listed, computed, given, figure].some(
    (source) => source !== undefined,
  ) || Object.values(views).some((view) => typeof view === 'object');

function kindOf(
  attribute: StoredAttribute | null,
  declared: FieldDeclaration,
  wrong: FieldContext['wrong'],
): Kind {
  if (!attribute) return declared.kind ?? wrong('KIND_MISSING');
  const { type } = attribute;
  const relation = attribute.toOne ? 'reference' : 'references';
  const natural = type === 'relation' ? relation : naturalKind(type);
  const kind = declared.kind ?? natural ?? wrong(isHolder(type) ? 'KIND_MISSING' : 'KIND_MISMATCH');
  return definitionOf(kind).attributes.includes(type) ? kind : wrong('KIND_MISMATCH');
}

function targetOf(
  attribute: StoredAttribute | null,
  declared: FieldDeclaration,
  paths: ReadonlyMap<string, string>,
  wrong: FieldContext['wrong'],
): string {
  const target = attribute?.target ? paths.get(attribute.target) : declared.to;
  return target !== undefined && [...paths.values()].includes(target)
    ? target
    : wrong('TARGET_MISSING');
}

function columnsOf(
  kind: Kind,
  name: string,
  attribute: StoredAttribute,
  stored: StoredType,
  wrong: FieldContext['wrong'],
): string[] {
  if (traitsOf({ kind }).refers === 'list') return attribute.link ? [] : wrong('LINK_MISSING');
  const column = attribute.column ?? wrong('JOIN_TABLE');
  if (!isSpan({ kind })) return [column];
  const bounds = [stored.attributes.get(`${name}Start`), stored.attributes.get(`${name}End`)];
  const columns = bounds.map((bound) =>
    bound?.type === 'biginteger' && bound.column ? bound.column : wrong('TIME_COLUMNS_MISSING'),
  );
  return [column, ...columns];
}

function viewsOf(
  { views = {} }: FieldDeclaration,
  kind: Kind,
  names: readonly string[],
  stored: StoredType,
  wrong: FieldContext['wrong'],
): Field['views'] {
  if (Object.keys(views).some((name) => !names.includes(name))) wrong('VIEW_UNKNOWN');
  const complete = (declared: ViewDeclaration): View => {
    if (declared === 'shown' || declared === 'hidden') return declared;
    if (typeof declared === 'string') {
      const name = declared.replace(/^shown if /, '');
      return isSwitch(name) ? { shownWhile: name } : wrong('SWITCH_UNKNOWN');
    }
    const { from, as, attribute } = declared;
    if (attribute === undefined) return { from, as, columns: null };
    const holder = stored.attributes.get(attribute) ?? wrong('ATTRIBUTE_MISSING');
    const { attributes: holders, parameter } = definitionOf(kind);
    const isHeld = holders.includes(holder.type) && (parameter !== null || isSpan({ kind }));
    return isHeld
      ? { from, as, columns: columnsOf(kind, attribute, holder, stored, wrong) }
      : wrong('KIND_MISMATCH');
  };
  return new Map(names.map((name) => [name, complete(views[name] ?? wrong('VIEW_MISSING'))]));
}
