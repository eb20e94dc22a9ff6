/** Resolves references between types by the names in declarations. */
import { ALWAYS, raw, type Sql } from '../database/sql';
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
 * @returns null where no reference is stored: not declared, or derived
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

/** The condition that the object in the row of this alias was not merged into another one. */
export const isCurrent = ({ mergedInto }: Resource, alias: string): Sql =>
  mergedInto ? raw(`${alias}.${mergedInto.columns[0]} is null`) : ALWAYS;

/** Whether it is in a column or a join table, of a field that refers to other objects. */
const isStored = ({ columns, link }: Field): boolean => link !== null || columns.length > 0;

/** The names of tables and columns, for SQL that declarations write. */
export const storedNames = (resources: Resources): StoredNames => ({
  table: (type) => raw(resources.get(type)?.table ?? 'null'),
  column: (type, field) => raw(resources.get(type)?.fields.get(field)?.columns[0] ?? 'null'),
  link(type, field) {
    const link = resources.get(type)?.fields.get(field)?.link;
    if (!link) throw new RangeError(`${type}.${field} is no list of references`);
    return link;
  },
  target: (type, field) => resources.get(type)?.fields.get(field)?.to ?? '',
  treeField(type) {
    const fields = [...(resources.get(type)?.fields.values() ?? [])];
    return fields.find(({ tree, to }) => tree && to === type)?.name ?? '';
  },
  aliasColumn(type) {
    const fields = [...(resources.get(type)?.fields.values() ?? [])];
    return fields.find(({ alias }) => alias)?.columns[0] ?? null;
  },
});
