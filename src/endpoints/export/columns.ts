/** The columns of an export: the fields that a read would show its caller. */
import type { Field, Resource } from '../../plugins/objects/server/declare/completed';
import { isShown } from '../../plugins/objects/server/read/reader';
import type { CustomField } from '../../plugins/objects/server/site/settings';
import type { Body } from '../../plugins/objects/server/declare/objects';
import { restOf, TERMS, textsOf } from './verbatim';
import { traitsOf } from '../../plugins/objects/server/kinds/traits';

export interface ExportColumn {
  readonly name: string;
  /** Undefined where the object does not have it, or its reader is not shown it. */
  readonly value: (object: Body) => unknown;
}

/** How columns are named. */
export type Terms = 'fields' | 'dwc';

/** The ID of an object as Darwin Core names it: `occurrenceID` of an Occurrence. */
const idTerm = (term: string): string => `${term.charAt(0).toLowerCase()}${term.slice(1)}ID`;

/** The fields that an export has. @param sees whether the caller may see a field of any object at all */
export const fieldsFor = ({ fields }: Resource, sees: (field: Field) => boolean): Field[] =>
  [...fields.values()].filter((field) => isShown(field) && sees(field));

/** A column of each term that many sources have, and one with the rest as JSON. */
function verbatimColumns(field: Field, terms: Terms, taken: Set<string>): ExportColumn[] {
  const own = TERMS.map((term): ExportColumn => {
    const chosen = terms === 'dwc' && !taken.has(term) ? term : `${field.name}.${term}`;
    taken.add(chosen);
    return { name: chosen, value: (object) => textsOf(field, object)[term] };
  });
  // Absent where the caller is not shown the field, as every other.
  const rest = (object: Body): unknown =>
    field.name in object ? restOf(textsOf(field, object)) : undefined;
  return [...own, { name: field.name, value: rest }];
}

const isByTerm = (field: Field): boolean => traitsOf(field).isByTerm === true;

/** @param custom what the site adds to the type */
export function columnsOf(
  resource: Resource,
  fields: readonly Field[],
  custom: readonly CustomField[],
  terms: Terms,
): ExportColumn[] {
  const taken = new Set<string>();
  const nameOf = ({ name, term }: Field): string => {
    const own = name === 'id' && resource.term !== null ? idTerm(resource.term) : term;
    const chosen = terms === 'dwc' && own !== null && !taken.has(own) ? own : name;
    taken.add(chosen);
    return chosen;
  };
  // What a field says itself comes before what a source said.
  const inOrder = [...fields].sort((one, other) => Number(isByTerm(one)) - Number(isByTerm(other)));
  return inOrder.flatMap((field): ExportColumn[] => {
    const { name } = field;
    if (isByTerm(field)) return verbatimColumns(field, terms, taken);
    if (traitsOf(field).ofSite !== 'fields')
      return [{ name: nameOf(field), value: (object) => object[name] }];
    return custom.map(({ key }) => ({
      name: `${name}.${key}`,
      value: (object) => (object[name] as Body | undefined)?.[key],
    }));
  });
}
