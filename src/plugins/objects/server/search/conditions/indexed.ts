/** For which conditions on fields there is an index. */
import type { Field, Resource } from '../../declare/completed';
import type { AreaCondition, Condition, FieldCondition } from '../language/tree';
import { sortedText } from '../projection/texts';
import type { Source } from './source';
import { isInstant, isSpan, traitsOf } from '../../kinds/traits';

/** Whether an index has exactly the rows that meet a condition. */
export function isIndexed(source: Source, condition: FieldCondition): boolean {
  const has = ({ name }: Field): boolean =>
    source.resource.searched?.indexed.includes(name) === true;
  switch (condition.by) {
    case 'subtree':
    case 'regions':
      return has(condition.field);
    case 'box':
    case 'circle':
      return source.resource.searched !== null;
    case 'values':
    case 'span': {
      const isNegated = condition.by === 'values' && condition.not;
      return !isNegated && condition.subject.kind === 'field' && has(condition.subject.field);
    }
    case 'id':
      return true;
    case 'bound':
    case 'words':
      return false;
  }
}

/** An area whose cells have an index; null for any other condition. */
export const areaOf = ({ resource }: Source, condition: Condition): AreaCondition | null =>
  resource.searched && (condition.by === 'box' || condition.by === 'circle') ? condition : null;

/** Whether an index has the objects of a type in the order of a field. */
export const isSortedByIndex = (resource: Resource, field: Field): boolean =>
  isInstant(field)
    ? field.sort
    : traitsOf(field).isOwnId === true ||
      sortedText(resource) === field ||
      (isSpan(field) && resource.searched?.fields.includes(field.name) === true);
