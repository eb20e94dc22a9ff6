/** Resolves references between types by the names in declarations. */
import type { Field, Resource, Resources } from './completed';

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
