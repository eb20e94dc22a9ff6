/** Resolves references between types by the names in declarations. */
import { raw } from '../database/sql';
import type { Field, Resource, Resources } from './completed';
import type { StoredNames } from './behavior';

/** A reference from or to a type. */
export interface Ends {
  /** The field that refers. */
  readonly field: Field;
  /** Whether the field belongs to the other type. */
  readonly isInverse: boolean;
  /** The type at the other end. */
  readonly other: Resource;
}

/**
 * The two ends of a reference.
 *
 * @param reference a field of the type, or `<type>.<field>` of a type that refers to it
 * @returns null where no reference is stored: not declared, derived, or to an awaited type
 */
export function endsOf(resource: Resource, reference: string, resources: Resources): Ends | null {
  const [first = '', name] = reference.split('.');
  const isInverse = name !== undefined;
  const from = isInverse ? resources.get(first) : resource;
  const field = from?.fields.get(name ?? first);
  const other = isInverse ? from : resources.get(field?.to ?? '');
  if (!field || !other || field.to !== (isInverse ? resource : other).type) return null;
  return isStored(field) ? { field, isInverse, other } : null;
}

const isStored = ({ kind, columns, link }: Field): boolean =>
  link !== null || ((kind === 'reference' || kind === 'path') && columns.length > 0);

/** The names of tables and columns, for SQL that declarations write. */
export const storedNames = (resources: Resources): StoredNames => ({
  table: (type) => raw(resources.get(type)?.table ?? 'null'),
  column: (type, field) => raw(resources.get(type)?.fields.get(field)?.columns[0] ?? 'null'),
  target: (type, field) => resources.get(type)?.fields.get(field)?.to ?? '',
  treeField(type) {
    const fields = [...(resources.get(type)?.fields.values() ?? [])];
    return fields.find(({ tree, to }) => tree && to === type)?.name ?? '';
  },
});
