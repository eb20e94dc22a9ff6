/** Who sees which fields of an object, as sentences: each audience once, with its fields. */
import { ROLES } from '../../core/caller';
import type { Field, Resource } from '../../plugins/objects/server/declare/completed';
import { isForEverybody } from '../../plugins/objects/server/declare/row';
import { otherViews } from '../../plugins/objects/server/declare/views';

/** Whether a field is in the answer to every caller. */
export const isAlwaysThere = (field: Field, { views }: Resource): boolean =>
  isForEverybody(field.seen) && otherViews(field, views).length === 0;

/** @returns for each audience that is not everybody, and for each set of views that changes fields, a sentence */
export function audienceOf({ views }: Resource, fields: readonly Field[]): string[] {
  const limited = fields.filter(({ seen }) => !isForEverybody(seen));
  const changed = fields.filter((field) => otherViews(field, views).length > 0);
  return [
    ...grouped(limited, readersOf).map(([readers, names]) => `Seen by ${readers} alone: ${names}.`),
    ...changedIn(views, fields, changed),
  ];
}

/** What the views hide, or what they leave where that is shorter to say. */
function changedIn(
  views: Resource['views'],
  fields: readonly Field[],
  changed: readonly Field[],
): string[] {
  const left = fields.filter((field) => !changed.includes(field));
  return grouped(changed, (field) => otherViews(field, views).join(', ')).map(
    ([others, names], _, { length }) =>
      `Hidden or generalized in the views ${others}: ${
        length === 1 && left.length < changed.length ? `all but ${named(left)}` : names
      }.`,
  );
}

const named = (fields: readonly Field[]): string =>
  fields.map(({ name }) => `\`${name}\``).join(', ');

const readersOf = ({ seen }: Field): string =>
  ROLES.flatMap((role) =>
    seen[role].map(({ relation }) => (relation === null ? role : `${role} (${relation})`)),
  ).join(', ');

/** The names of the fields by what is said of them. */
function grouped(fields: readonly Field[], textOf: (field: Field) => string): [string, string][] {
  const texts = [...new Set(fields.map(textOf))];
  return texts.map((text) => [text, named(fields.filter((field) => textOf(field) === text))]);
}
