/** Checks of relations that need all types. */
import { raw } from '../database/sql';
import { holdersOf } from './holders';
import type { RelationScope } from '../declare/relations';
import type { RightsRow } from '../declare/row';
import { DEFAULT_SITE } from '../site/settings';
import type { Resource, Resources } from '../declare/completed';
import { DeclarationError, type DeclarationErrorCode } from '../declare/declaration-error';
import { endsOf } from '../declare/references';
import { isReference, traitsOf } from '../kinds/traits';

/**
 * Checks that the fields of relations exist, and that no relation depends on itself through other types.
 *
 * @throws DeclarationError
 */
export function checkRelations(resource: Resource, resources: Resources): void {
  for (const name of resource.relations.keys()) checkRelation(resource, name, [], resources);
  resource.views?.others(checkingScope(resource, `${resource.type}.views`, [], resources));
  if (resource.searched && holdersOf(resource) === null)
    throw new DeclarationError('WORDS_UNMARKED', `${resource.type}.views`);
}

function checkRelation(
  resource: Resource,
  name: string,
  path: readonly string[],
  resources: Resources,
): void {
  const at = `${resource.type}.${name}`;
  if (path.includes(at)) throw new DeclarationError('RELATION_CYCLE', at);
  resource.relations.get(name)?.(checkingScope(resource, at, [...path, at], resources));
}

/** @param path the relations that have led here */
function checkingScope(
  resource: Resource,
  at: string,
  path: readonly string[],
  resources: Resources,
): RelationScope {
  const wrong = (code: DeclarationErrorCode): never => {
    throw new DeclarationError(code, at);
  };
  const nothing = raw('');
  return {
    alias: 'o',
    column: (name) =>
      resource.fields.get(name)?.columns.length ? nothing : wrong('RELATION_MISMATCH'),
    isCaller(name) {
      const field = resource.fields.get(name);
      const isOne = field && (traitsOf(field).isOwnId || (isReference(field) && field.to !== null));
      return isOne ? nothing : wrong('RELATION_MISMATCH');
    },
    isMember(reference) {
      const field = resource.fields.get(reference);
      const isList = field?.link !== null && field?.to === 'org';
      return isList || reference === 'id' ? nothing : wrong('RELATION_MISMATCH');
    },
    collaborates(name) {
      const field = resource.fields.get(name);
      return field && isReference(field) && field.to === 'user'
        ? nothing
        : wrong('RELATION_MISMATCH');
    },
    isClaimed: () => nothing,
    through(reference, right) {
      const ends = endsOf(resource, reference, resources) ?? wrong('RELATION_MISMATCH');
      const relations = relationsOf(ends.other, right) ?? wrong('RIGHT_UNKNOWN');
      for (const name of relations) checkRelation(ends.other, name, path, resources);
      return nothing;
    },
    isInside(reference) {
      const ends = endsOf(resource, reference, resources);
      if (!ends?.other.views) return wrong('RELATION_MISMATCH');
      for (const name of relationsIn(ends.other.views.exact))
        checkRelation(ends.other, name, path, resources);
      return nothing;
    },
    isTold: () => nothing,
    isUntold: () => nothing,
    privacy: DEFAULT_SITE,
  };
}

/** The relations that a right depends on. */
function relationsOf({ relations, rights }: Resource, right: string): string[] | null {
  if (relations.has(right)) return [right];
  const row = rights.get(right);
  return row ? relationsIn(row) : null;
}

const relationsIn = (row: RightsRow): string[] =>
  Object.values(row)
    .flat()
    .flatMap(({ relation }) => relation ?? []);

/** Checks that a derived list is of objects that refer to this one by a reference of their own. @throws DeclarationError */
export function checkInverses(resource: Resource, resources: Resources): void {
  for (const { name, inverse } of resource.fields.values()) {
    if (!inverse) continue;
    const from = resources.get(inverse.type);
    const field = from?.fields.get(inverse.field);
    const refers = field && isReference(field) && field.to === resource.type;
    // What no view shows is listed of objects that the caller sees exactly.
    const isTold = field && [...field.views.values()].some((view) => view !== 'hidden');
    const isKept = !isTold || (from?.views?.kept?.fields.includes(inverse.field) ?? true);
    if (!refers || !isKept)
      throw new DeclarationError('INVERSE_UNKNOWN', `${resource.type}.${name}`);
  }
}
