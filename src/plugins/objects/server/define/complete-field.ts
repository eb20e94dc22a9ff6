/** Completes a field from its attribute and its declaration in `resource.ts`. */
import { definitionOf, isHolder, naturalKind } from '../kinds';
import type { Kind } from '../declare/kinds';
import { completeRow, EVERYBODY, NOBODY, type Right } from '../declare/row';
import { isSwitch } from '../site/switches';
import type { View, ViewDeclaration } from '../declare/views';
import { camelCase, DEFAULT_MAX_ITEMS, DEFAULT_MAX_LENGTH } from '../declare/common';
import type { Field } from '../declare/completed';
import type { FieldDeclaration } from '../declare/declaration';
import type { DeclarationErrorCode } from '../declare/declaration-error';
import type { StoredAttribute, StoredType } from './stored';

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

export function completeField(
  name: string,
  declared: FieldDeclaration,
  { stored, paths, wrong, checkRight, views }: FieldContext,
): Field {
  const attributeName = declared.attribute ?? camelCase(name);
  const attribute = stored.attributes.get(attributeName) ?? null;
  if (attribute && OF_THE_PANEL.has(attributeName)) wrong('ATTRIBUTE_RESERVED');
  const kind = attribute
    ? kindOf(attribute, declared, wrong)
    : (declared.kind ?? wrong('KIND_MISSING'));
  const isReference = REFERRING.has(kind);
  const to = isReference ? targetOf(attribute, declared, paths, wrong) : null;
  const isDerived = declared.derived === true;
  const isElsewhere = declared.edges !== undefined || declared.inverse !== undefined;
  // Edges are in a table of ours: their attribute is for the panel's form, and has no column.
  const isStored =
    attribute !== null && !(declared.edges !== undefined && attribute.column === null);
  if (!attribute && !isDerived && !isElsewhere && declared.input === undefined)
    wrong('ATTRIBUTE_MISSING');
  if (attribute?.required === true && isDerived) wrong('REQUIRED_DERIVED');
  if (isDerived && !isDerivedFromSomething(declared)) wrong('DERIVED_FROM_NOTHING');
  const maxLength = declared.maxLength ?? attribute?.maxLength ?? DEFAULT_MAX_LENGTH;
  if (attribute?.type === 'string' && maxLength > DEFAULT_MAX_LENGTH) wrong('COLUMN_TOO_SHORT');
  const choices = declared.choices ?? attribute?.enum ?? [];
  if (kind === 'choice' && choices.length === 0) wrong('CHOICES_MISSING');
  if (views.length > 0) checkLinks(declared, wrong);
  const seen = kind === 'secret' ? NOBODY : (declared.seen ?? EVERYBODY);

  return {
    name,
    kind,
    description: declared.description,
    term: declared.term ?? null,
    vocabulary: declared.vocabulary ?? {},
    columns: isStored ? columnsOf(kind, attributeName, attribute, stored, wrong) : [],
    attribute: attribute ? attributeName : null,
    required:
      declared.required === true ||
      (attribute?.required === true && attribute.default === undefined),
    default: attribute?.default ?? definitionOf(kind).empty,
    nullable: declared.nullable === true,
    toStrangers: declared.toStrangers ?? null,
    derived: isDerived,
    seen: completeRow(seen, checkRight),
    written: completeRow(declared.written ?? EVERYBODY, checkRight),
    onCreate: declared.onCreate === true,
    input: declared.input ?? null,
    inverse: declared.inverse ?? null,
    listed: declared.listed ?? null,
    edges: declared.edges ?? null,
    figure: declared.figure
      ? figureOf(kind, attributeName, declared.figure, { stored, wrong, checkRight })
      : null,
    link: attribute?.link ?? null,
    choices,
    spellings: declared.spellings ?? {},
    min: attribute?.min ?? null,
    max: attribute?.max ?? null,
    minLength: declared.minLength ?? attribute?.minLength ?? 0,
    maxLength,
    maxItems: declared.maxItems ?? DEFAULT_MAX_ITEMS,
    fold: declared.fold ?? null,
    distinct: declared.distinct === true,
    rejects: declared.rejects ?? null,
    to,
    onDelete: declared.onDelete ?? 'clear',
    attach: declared.attach ?? 'read',
    tree: declared.tree === true,
    alias: declared.alias === true,
    fill: declared.fill ?? null,
    derive: declared.derive ?? null,
    settle: declared.settle ?? null,
    computed: declared.computed ?? null,
    told: declared.told ?? null,
    words: declared.words === true,
    sort: declared.sort === true,
    views: viewsOf(declared, kind, views, stored, wrong),
  };
}

/** What is told in a view may not lead to the same animal, place or moment, unless the operator decides so. */
function checkLinks({ views = {}, links }: FieldDeclaration, wrong: FieldContext['wrong']): void {
  const told = Object.values(views).filter((view) => view !== 'hidden');
  if (told.length === 0) return;
  if (links === undefined) wrong('LINKS_MISSING');
  if (links === 'animal' && told.includes('shown')) wrong('LINKS_SHOWN');
}

/** The kinds whose values refer to other objects. */
const REFERRING: ReadonlySet<Kind> = new Set(['reference', 'references', 'path', 'relationships']);

function figureOf(
  kind: Kind,
  full: string,
  { public: name, wider }: NonNullable<FieldDeclaration['figure']>,
  { stored, wrong, checkRight }: Pick<FieldContext, 'stored' | 'wrong' | 'checkRight'>,
): Field['figure'] {
  const holderOf = (held: string): StoredAttribute => {
    const attribute = stored.attributes.get(held) ?? wrong('ATTRIBUTE_MISSING');
    const isHolder = definitionOf(kind).attributes.includes(attribute.type);
    return isHolder ? attribute : wrong('KIND_MISMATCH');
  };
  const attributes = [full, name].flatMap((held) =>
    kind === 'time' ? [held, `${held}Start`, `${held}End`] : [held],
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
  attribute: StoredAttribute,
  declared: FieldDeclaration,
  wrong: FieldContext['wrong'],
): Kind {
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
  if (kind === 'references') return attribute.link ? [] : wrong('LINK_MISSING');
  const column = attribute.column ?? wrong('JOIN_TABLE');
  if (kind !== 'time') return [column];
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
    const isHeld = holders.includes(holder.type) && (parameter !== null || kind === 'time');
    return isHeld
      ? { from, as, columns: columnsOf(kind, attribute, holder, stored, wrong) }
      : wrong('KIND_MISMATCH');
  };
  return new Map(names.map((name) => [name, complete(views[name] ?? wrong('VIEW_MISSING'))]));
}
