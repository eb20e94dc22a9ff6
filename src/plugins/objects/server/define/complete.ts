/**
 * Completes the declaration of a type from `schema.json` and `resource.ts`, once, at the start. A wrong declaration
 * stops the start with a `DeclarationError`.
 */
import { completeRow, hasKnownSwitch, type Right, type RightsRow } from '../declare/row';
import { generalizationOf, keptViews, type Views } from '../declare/views';
import { checkInverses, checkRelations } from './check-relations';
import { completeActions, completeMergedInto, completeOffers, STANDARD } from './complete-actions';
import { completeFields, type Wrong } from './complete-fields';
import type { Field, Resource, Resources, Unique } from '../declare/completed';
import type { ResourceDeclaration, UniqueDeclaration } from '../declare/declaration';
import { DeclarationError } from '../declare/declaration-error';
import type { StoredType } from './stored';
import { completeSearched, completeSuggested } from './searched';
import { traitsOf } from '../kinds/traits';

type StoredTypes = (uid: string) => StoredType | null;

const wrongIn =
  (path: string): Wrong =>
  (code, name) => {
    throw new DeclarationError(code, name === undefined ? path : `${path}.${name}`);
  };

/**
 * Completes the declarations of all types together, since they refer to each other.
 *
 * @throws DeclarationError the first one
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
  const resources: Resources = new Map(
    declarations.map((declaration) => [
      declaration.path,
      complete(declaration, storedTypes, paths),
    ]),
  );
  for (const resource of resources.values()) {
    checkInverses(resource, resources);
    checkAttached(resource, resources);
    checkDeletedWith(resource, resources);
    checkRelations(resource, resources);
    checkKept(resource, resources);
  }
  return resources;
}

/** Whether rules name fields that there are. */
function checkRuleFields(
  { rules = [], uniqueRecords = [] }: ResourceDeclaration,
  fields: ReadonlyMap<string, Field>,
  wrong: Wrong,
): void {
  for (const rule of [...rules, ...uniqueRecords])
    for (const name of rule.fields) if (!fields.has(name)) wrong('FIELD_UNKNOWN', name);
}

function complete(
  declaration: ResourceDeclaration,
  storedTypes: StoredTypes,
  paths: ReadonlyMap<string, string>,
): Resource {
  const { uid, path } = declaration;
  const wrong = wrongIn(path);
  const stored = storedTypes(uid) ?? wrong('CONTENT_TYPE_MISSING');
  if (stored.attributes.get('version')?.type !== 'integer') wrong('VERSION_MISSING');
  const relations = new Map(Object.entries(declaration.relations ?? {}));
  const checkRight =
    (at?: string) =>
    (right: Right): void => {
      if (right.relation !== null && !relations.has(right.relation)) wrong('RELATION_UNKNOWN', at);
      if (!hasKnownSwitch(right)) wrong('SWITCH_UNKNOWN', at);
    };
  const fields = completeFields(declaration, { stored, paths, wrong }, checkRight);
  const unique = [
    identityOf(stored, wrong),
    ...(declaration.unique ?? []).map((rule) => completeUnique(rule, fields, stored, wrong)),
  ];
  const hidden = new Set(declaration.hidden);
  const seenAs = completeViews(declaration, checkRight(), wrong);
  checkAllDeclared(stored, fields, unique, hidden, wrong);
  checkViewSources(fields, wrong);
  checkRuleFields(declaration, fields, wrong);
  return {
    uid,
    type: path,
    description: declaration.description,
    single: declaration.single ?? null,
    hidden,
    term: declaration.term ?? null,
    table: stored.table,
    displayName: fields.get(declaration.displayName) ?? wrong('DISPLAY_NAME_UNKNOWN'),
    picture: completePicture(declaration, fields, wrong),
    summary: (declaration.summary ?? []).map(
      (name) => fields.get(name) ?? wrong('FIELD_UNKNOWN', name),
    ),
    fields,
    unique,
    uniqueRecords: declaration.uniqueRecords ?? [],
    rules: declaration.rules ?? [],
    relations,
    rights: completeRights(declaration, checkRight(), wrong),
    actions: completeActions(declaration, wrong),
    offered: completeOffers(declaration, checkRight(), wrong),
    transition: declaration.transition ?? null,
    beforeDelete: declaration.beforeDelete ?? [],
    views: seenAs,
    consequences: declaration.consequences ?? [],
    kept: declaration.kept ?? [],
    mergedInto: completeMergedInto(declaration, fields, wrong),
    searched: completeSearched(declaration, fields, wrong),
    suggested: completeSuggested(declaration, fields, seenAs, wrong),
    forgotten: declaration.forgotten === true,
    manyAtOnce: declaration.manyAtOnce === true,
    made: declaration.made ?? null,
  };
}

function completePicture(
  { picture }: ResourceDeclaration,
  fields: ReadonlyMap<string, Field>,
  wrong: Wrong,
): Field | null {
  if (picture === undefined) return null;
  const field = fields.get(picture) ?? wrong('FIELD_UNKNOWN', picture);
  return traitsOf(field).picture ? field : wrong('KIND_MISMATCH', picture);
}

function completeRights(
  { rights }: ResourceDeclaration,
  check: (right: Right) => void,
  wrong: Wrong,
): ReadonlyMap<string, RightsRow> {
  for (const action of STANDARD) if (!(action in rights)) wrong('RIGHT_MISSING', action);
  return new Map(
    Object.entries(rights).map(([action, declared]) => {
      const row = typeof declared === 'string' ? rights[declared.replace(/^as /, '')] : declared;
      if (row === undefined || typeof row === 'string') return wrong('RIGHT_ALIAS_UNKNOWN', action);
      const completed = completeRow(row, check);
      const relations = Object.values(completed)
        .flat()
        .some((right) => right.relation !== null);
      if (action === 'create' && relations) wrong('CREATE_NEEDS_ALL', action);
      return [action, completed];
    }),
  );
}

const completeViews = (
  { views, fields }: ResourceDeclaration,
  check: (right: Right) => void,
  wrong: Wrong,
): Views | null => {
  const untold = views?.untold ?? null;
  if (untold !== null && !(untold in fields)) wrong('FIELD_UNKNOWN', untold);
  return views
    ? {
        exact: completeRow(views.exact, check),
        names: new Set(views.names),
        others: views.others,
        othersKnown: views.othersKnown ?? (() => undefined),
        kept: views.kept ?? null,
        untold,
      }
    : null;
};

function identityOf(stored: StoredType, wrong: Wrong): Unique {
  if (!stored.uniqueIndexes.has('document_id')) wrong('INDEX_MISSING', 'document_id');
  return {
    attribute: 'documentId',
    column: 'document_id',
    fields: ['id'],
    reportedAt: 'id',
    dependsOn: [],
    discreet: false,
    holders: null,
    key: (object) => (object['id'] ?? null) as string | null,
  };
}

function completeUnique(
  rule: UniqueDeclaration,
  fields: ReadonlyMap<string, Field>,
  stored: StoredType,
  wrong: Wrong,
): Unique {
  const column =
    stored.attributes.get(rule.attribute)?.column ?? wrong('ATTRIBUTE_MISSING', rule.attribute);
  const within =
    rule.within === undefined ? [] : [stored.attributes.get(rule.within)?.column ?? rule.within];
  if (!stored.uniqueIndexes.has([column, ...within].join())) wrong('INDEX_MISSING', column);
  for (const name of rule.fields) if (!fields.has(name)) wrong('UNIQUE_FIELD_UNKNOWN', name);
  const [first = wrong('UNIQUE_FIELD_UNKNOWN')] = rule.fields;
  const value = (object: Readonly<Record<string, unknown>>) =>
    object[first] as string | number | null;
  return {
    attribute: rule.attribute,
    column,
    fields: rule.fields,
    reportedAt: rule.reportedAt ?? rule.fields.at(-1) ?? first,
    dependsOn: rule.dependsOn ?? [],
    discreet: rule.discreet === true,
    key: rule.key ?? value,
    holders: rule.holders ?? null,
  };
}

function checkAllDeclared(
  stored: StoredType,
  fields: ReadonlyMap<string, Field>,
  unique: readonly Unique[],
  hidden: ReadonlySet<string>,
  wrong: Wrong,
): void {
  const columns = new Set([
    ...[...fields.values()].flatMap((field) => [
      ...field.columns,
      ...(field.figure?.columns ?? []),
      ...(field.figure?.wider ? [field.figure.wider.column] : []),
    ]),
    ...[...fields.values()].flatMap(keptViews).flatMap((view) => view.columns),
    ...unique.map((rule) => rule.column),
  ]);
  const attributes = new Set([...fields.values()].map((field) => field.attribute));
  for (const [name, { column }] of stored.attributes) {
    const isDeclared = column === null ? attributes.has(name) : columns.has(column);
    if (!isDeclared && !hidden.has(name)) wrong('ATTRIBUTE_NOT_DECLARED', name);
  }
}

/** Checks that the fields of a view exist, and that stored values of a view depend on the object only. */
function checkViewSources(fields: ReadonlyMap<string, Field>, wrong: Wrong): void {
  for (const { name, views } of fields.values()) {
    for (const view of views.values()) {
      const as = generalizationOf(view);
      if (!as) continue;
      const sources = as.from.map((from) => fields.get(from) ?? wrong('FIELD_UNKNOWN', from));
      const isFirm = sources.every(({ to, inverse }) => to === null && inverse === null);
      if (as.columns !== null && !isFirm) wrong('VIEW_OF_REFERENCE', name);
    }
  }
}

/** What may be referred to is said by a right that the type at the other end has. */
function checkAttached(resource: Resource, resources: Resources): void {
  for (const { name, to, attach } of resource.fields.values()) {
    const target = to === null ? undefined : resources.get(to);
    if (target && !target.rights.has(attach))
      throw new DeclarationError('RIGHT_UNKNOWN', `${resource.type}.${name}`);
  }
}

/** What is kept depends on fields that exist. */
function checkKept({ type, kept }: Resource, resources: Resources): void {
  for (const { name, of, fields } of kept) {
    const known = resources.get(of)?.fields;
    if (!fields.every((field) => known?.has(field)))
      throw new DeclarationError('FIELD_UNKNOWN', `${type}.${name}`);
  }
}

/** What is deleted with another object is deleted without a look at what refers to it. Nothing refers to what was merged. */
function checkDeletedWith({ type, fields, mergedInto }: Resource, resources: Resources): void {
  const owned = [...fields.values()].filter(({ onDelete }) => onDelete === 'delete');
  if (owned.every((field) => field === mergedInto)) return;
  for (const other of resources.values())
    for (const { name, to, columns, link } of other.fields.values())
      if (to === type && (columns.length > 0 || link))
        throw new DeclarationError('DELETED_WITH_REFERRED', `${other.type}.${name}`);
}
