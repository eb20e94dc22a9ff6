/**
 * Makes one total declaration of a type out of `schema.json` and `resource.ts`, once, at the start.
 * What is wrong stops the start with a `DeclarationError`.
 */
import { camelCase, COMMON, DEFAULT_MAX_ITEMS, DEFAULT_MAX_LENGTH } from './common';
import type { FieldDeclaration, Kind, ResourceDeclaration, UniqueDeclaration } from './declaration';
import { DeclarationError, type DeclarationErrorCode } from './declaration-error';
import type { Field, Resource, Resources, Unique } from './resource';
import type { StoredAttribute, StoredType } from './stored';

/** The kinds that an attribute's type can hold; the first is meant where none is given, unless it is null. */
const HOLDS: Readonly<Record<string, readonly (Kind | null)[]>> = {
  string: ['text', 'uuid', 'url', 'country', 'language', 'time', 'region'],
  password: ['secret'],
  text: ['text'],
  email: ['email'],
  enumeration: ['choice'],
  float: ['number'],
  integer: ['integer'],
  boolean: ['boolean'],
  datetime: ['instant'],
  json: [null, 'localized', 'texts', 'measurements', 'customFields'],
  relation: [null, 'reference', 'references'],
};

/** What an absent value reads as, where it is not null. */
const EMPTY: Partial<Record<Kind, unknown>> = {
  texts: [],
  measurements: [],
  references: [],
  customFields: {},
};

/** Parameters of the panel's requests, which it takes out of what it saves. */
const OF_THE_PANEL = new Set(['status', 'locale']);

type StoredTypes = (uid: string) => StoredType | null;

/**
 * Completes the declarations of all types together, since they refer to each other.
 *
 * @throws DeclarationError at the first that is wrong
 */
export function completeAll(
  declarations: readonly ResourceDeclaration[],
  storedTypes: StoredTypes,
): Resources {
  const paths = new Map<string, string>();
  for (const { uid, path } of declarations) {
    if ([...paths.values()].includes(path)) throw new DeclarationError('TYPE_TAKEN', path);
    paths.set(uid, path);
  }
  return new Map(
    declarations.map((declaration) => [
      declaration.path,
      complete(declaration, storedTypes, paths),
    ]),
  );
}

function complete(
  declaration: ResourceDeclaration,
  storedTypes: StoredTypes,
  paths: ReadonlyMap<string, string>,
): Resource {
  const { uid, path } = declaration;
  const wrong = (code: DeclarationErrorCode, name?: string): never => {
    throw new DeclarationError(code, name === undefined ? path : `${path}.${name}`);
  };
  const stored = storedTypes(uid) ?? wrong('CONTENT_TYPE_MISSING');
  if (stored.attributes.get('version')?.type !== 'integer') wrong('VERSION_MISSING');
  const declared = Object.entries(declaration.fields).map(([name, field]) => {
    if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name)) wrong('NAME_INVALID', name);
    if (name in COMMON || name === 'permissions') wrong('NAME_RESERVED', name);
    return completeField(name, field, stored, paths, (code) => wrong(code, name));
  });
  const fields = new Map(
    [COMMON.id, ...declared, COMMON.version, COMMON.created_at, COMMON.updated_at].map((field) => [
      field.name,
      field,
    ]),
  );
  if (!stored.uniqueIndexes.has('document_id')) wrong('INDEX_MISSING', 'document_id');
  const identity: Unique = {
    column: 'document_id',
    fields: ['id'],
    dependsOn: [],
    discreet: false,
    key: (object) => (object['id'] ?? null) as string | null,
  };
  const own = (declaration.unique ?? []).map((rule) => completeUnique(rule, fields, stored, wrong));
  const unique = [identity, ...own];
  const hidden = new Set(declaration.hidden);
  checkAllDeclared(stored, fields, unique, hidden, wrong);
  const named = (name: string): Field => fields.get(name) ?? wrong('FIELD_UNKNOWN', name);
  return {
    uid,
    type: path,
    description: declaration.description,
    hidden,
    term: declaration.term ?? null,
    table: stored.table,
    displayName: fields.get(declaration.displayName) ?? wrong('DISPLAY_NAME_UNKNOWN'),
    fields,
    unique,
    rules: declaration.rules ?? [],
    permissions: declaration.permissions,
    ownedBy:
      declaration.ownedBy === undefined
        ? (fields.get('owner') ?? null)
        : named(declaration.ownedBy),
    approved: declaration.approved
      ? {
          column: named(declaration.approved.field).columns[0] ?? wrong('ATTRIBUTE_MISSING'),
          value: declaration.approved.value,
        }
      : null,
    beforehand: declaration.beforehand ?? null,
    follow: declaration.follow ?? null,
    forgotten: declaration.forgotten === true,
  };
}

function completeField(
  name: string,
  declared: FieldDeclaration,
  stored: StoredType,
  paths: ReadonlyMap<string, string>,
  wrong: (code: DeclarationErrorCode) => never,
): Field {
  const attributeName = declared.attribute ?? camelCase(name);
  const attribute = stored.attributes.get(attributeName) ?? null;
  if (attribute && OF_THE_PANEL.has(attributeName)) wrong('ATTRIBUTE_RESERVED');
  const kind = attribute
    ? kindOf(attribute, declared, wrong)
    : (declared.kind ?? wrong('KIND_MISSING'));
  const isReference = kind === 'reference' || kind === 'references' || kind === 'path';
  const to = isReference ? targetOf(attribute, declared, paths, wrong) : null;
  const awaitsItsType = isReference && !attribute && ![...paths.values()].includes(to ?? '');
  const isStored = declared.derived !== true && declared.input === undefined && !awaitsItsType;
  if (!attribute && isStored) wrong('ATTRIBUTE_MISSING');
  if (attribute?.required === true && declared.derived === true) wrong('REQUIRED_DERIVED');
  const maxLength = declared.maxLength ?? attribute?.maxLength ?? DEFAULT_MAX_LENGTH;
  if (attribute?.type === 'string' && maxLength > DEFAULT_MAX_LENGTH) wrong('COLUMN_TOO_SHORT');
  const choices = declared.choices ?? attribute?.enum ?? [];
  if (kind === 'choice' && choices.length === 0) wrong('CHOICES_MISSING');

  return {
    name,
    kind,
    description: declared.description,
    term: declared.term ?? null,
    columns: attribute ? columnsOf(kind, attributeName, attribute, stored, wrong) : [],
    attribute: attribute ? attributeName : null,
    required: attribute?.required === true && attribute.default === undefined,
    default: attribute?.default ?? EMPTY[kind] ?? null,
    empty: EMPTY[kind] ?? null,
    derived: declared.derived === true,
    seen: kind === 'secret' ? 'nobody' : (declared.seen ?? 'everyone'),
    written: declared.written ?? 'everyone',
    input: declared.input ?? false,
    inverse: declared.inverse ?? null,
    link: attribute?.link ?? null,
    choices,
    spellings: declared.spellings ?? {},
    min: attribute?.min ?? null,
    max: attribute?.max ?? null,
    minLength: attribute?.minLength ?? 0,
    maxLength,
    maxItems: declared.maxItems ?? DEFAULT_MAX_ITEMS,
    fold: declared.fold ?? null,
    distinct: declared.distinct === true,
    to,
    onDelete: declared.onDelete ?? 'clear',
    tree: declared.tree === true,
    fill: declared.fill ?? null,
    derive: declared.derive ?? null,
  };
}

function kindOf(
  attribute: StoredAttribute,
  declared: FieldDeclaration,
  wrong: (code: DeclarationErrorCode) => never,
): Kind {
  const holds = HOLDS[attribute.type] ?? [];
  const natural =
    attribute.type === 'relation' ? (attribute.toOne ? 'reference' : 'references') : holds[0];
  const kind =
    declared.kind ?? natural ?? (holds.length > 0 ? wrong('KIND_MISSING') : wrong('KIND_MISMATCH'));
  return holds.includes(kind) ? kind : wrong('KIND_MISMATCH');
}

function targetOf(
  attribute: StoredAttribute | null,
  declared: FieldDeclaration,
  paths: ReadonlyMap<string, string>,
  wrong: (code: DeclarationErrorCode) => never,
): string {
  const target = attribute?.target ? paths.get(attribute.target) : declared.to;
  return target ?? wrong('TARGET_MISSING');
}

function columnsOf(
  kind: Kind,
  name: string,
  attribute: StoredAttribute,
  stored: StoredType,
  wrong: (code: DeclarationErrorCode) => never,
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

function completeUnique(
  rule: UniqueDeclaration,
  fields: ReadonlyMap<string, Field>,
  stored: StoredType,
  wrong: (code: DeclarationErrorCode, name?: string) => never,
): Unique {
  const column =
    stored.attributes.get(rule.attribute)?.column ?? wrong('ATTRIBUTE_MISSING', rule.attribute);
  if (!stored.uniqueIndexes.has(column)) wrong('INDEX_MISSING', column);
  for (const name of rule.fields) if (!fields.has(name)) wrong('UNIQUE_FIELD_UNKNOWN', name);
  const [first = wrong('UNIQUE_FIELD_UNKNOWN')] = rule.fields;
  const value = (object: Readonly<Record<string, unknown>>) =>
    object[first] as string | number | null;
  return {
    column,
    fields: rule.fields,
    dependsOn: rule.dependsOn ?? [],
    discreet: rule.discreet === true,
    key: rule.key ?? value,
  };
}

function checkAllDeclared(
  stored: StoredType,
  fields: ReadonlyMap<string, Field>,
  unique: readonly Unique[],
  hidden: ReadonlySet<string>,
  wrong: (code: DeclarationErrorCode, name?: string) => never,
): void {
  const columns = new Set([
    ...[...fields.values()].flatMap((field) => field.columns),
    ...unique.map((rule) => rule.column),
  ]);
  const attributes = new Set([...fields.values()].map((field) => field.attribute));
  for (const [name, { column }] of stored.attributes) {
    const isDeclared = column === null ? attributes.has(name) : columns.has(column);
    if (!isDeclared && !hidden.has(name)) wrong('ATTRIBUTE_NOT_DECLARED', name);
  }
}
