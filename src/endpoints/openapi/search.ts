/** The parameters of searches, as the OpenAPI document has them: from the same lists by which they are read. */
import type { Field, Resource, Resources } from '../../plugins/objects/server/define/completed';
import { searchSchema } from '../../plugins/objects/server/define/json-schema';
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import { includable, selectable } from '../../plugins/objects/server/read/reader';
import {
  customField,
  filtersOf,
  positionOf,
  regionFields,
  sortable,
  subtreesOf,
  type FilterName,
} from '../../plugins/objects/server/search/filters';
import { DISTANCE } from '../../plugins/objects/server/search/sort-keys';
import { MAX_SORT_KEYS, MAX_VALUES, MAX_WORDS } from '../../plugins/objects/server/search/limits';
import { namingFields, textFields } from '../../plugins/objects/server/search/texts';
import { UUID } from './envelope';
import { listParameter, queryParameter } from './parameters';

export const OF_ITS_FIELDS = 'by what their fields are, by words, by place and by time';

const TEXT: JsonSchema = { type: 'string' };

const IS =
  'Any of these values; `null` is none. A comma in a value has a backslash before it. Where the caller does not see the field, nothing matches.';
const IS_NOT = 'None of these values. Where the caller does not see the field, nothing matches.';

const LIES_IN =
  ' A time that lies in a value is that value: `2021-03-01` is any hour of that day, by the calendar and clocks of its place.';

/** A value that the field is compared with. */
function valueSchema({ kind, ...field }: Field): JsonSchema {
  if (kind === 'references' || kind === 'relationships')
    return { ...UUID, type: ['string', 'null'] };
  if (kind === 'texts') return { type: ['string', 'null'], maxLength: field.maxLength };
  if (kind === 'instant') return { type: ['string', 'null'], examples: ['2026-03-09'] };
  return searchSchema({ kind, ...field });
}

function filterParameter({ name, subject, comparison }: FilterName): JsonSchema {
  if (comparison === 'is' || comparison === 'not') {
    const items = subject.kind === 'field' ? valueSchema(subject.field) : TEXT;
    const isTime = subject.kind === 'field' && subject.field.kind === 'time';
    const description = `${comparison === 'is' ? IS : IS_NOT}${isTime ? LIES_IN : ''}`;
    return listParameter(name, items, description, { maxItems: MAX_VALUES });
  }
  const isNumber = ['number', 'integer'].includes(subject.field.kind);
  const side = comparison === 'min' ? 'The least' : 'The greatest';
  return queryParameter(
    name,
    isNumber ? { type: 'number' } : { ...TEXT, examples: ['2021', '2021-06-03T14:05+02:00'] },
    isNumber
      ? `${side} value.`
      : `${comparison === 'min' ? 'Not before the start' : 'Not after the end'} of this time; a time that reaches into the range is in it. By the calendar and clocks of its place; with an offset the bound is an instant for all times that have one.`,
  );
}

/** The parameters that say which objects are found. */
export function filterParameters(resource: Resource, resources: Resources): JsonSchema[] {
  const custom = customField(resource);
  const words = [...textFields(resource), ...namingFields(resource)].map(({ name }) => name);
  return [
    ...filtersOf(resource).map(filterParameter),
    ...(custom ? [customParameter(custom.name)] : []),
    ...subtreesOf(resource, resources).map(([name]) =>
      queryParameter(name, UUID, 'This one and all below it.'),
    ),
    ...regionFields(resource).map(({ name }) =>
      queryParameter(`${name}_under`, TEXT, 'This region of the site settings and all below it.'),
    ),
    ...(positionOf(resource)
      ? [
          queryParameter(
            'bbox',
            { ...TEXT, examples: ['34,-3,35.5,-1', '170,-20,-170,-10'] },
            'West, south, east and north in degrees; a box whose west is greater than its east crosses the date line.',
          ),
          queryParameter(
            'near',
            { ...TEXT, examples: ['-2.333,34.833,25'] },
            'Latitude and longitude in degrees, and how many kilometers from there along the great circle.',
          ),
        ]
      : []),
    ...(words.length > 0
      ? [
          queryParameter(
            'q',
            TEXT,
            `Words, ${MAX_WORDS} at most, all of which occur in ${words.join(', ')}: the beginning of a word is enough, accents and case do not matter. Or a whole ID.`,
          ),
        ]
      : []),
  ];
}

/** By the fields of the site settings: each is a parameter of its own. */
const customParameter = (name: string): JsonSchema => ({
  ...queryParameter(
    name,
    {
      type: 'object',
      additionalProperties: false,
      patternProperties: { [`^${name}\\.[A-Za-z][A-Za-z0-9_]*$`]: TEXT },
      examples: [{ [`${name}.water_temp_min`]: '20' }],
    },
    'By a field that the site settings define: `<key>`, `<key>_not`, and `<key>_min` and `<key>_max` of numbers and days.',
  ),
  style: 'form',
  explode: true,
});

/** The parameters that say how they are answered. */
export function pageParameters(resource: Resource): JsonSchema[] {
  const names = (values: readonly string[]): JsonSchema => ({ type: 'string', enum: values });
  const keys = [
    ...sortable(resource).map(({ name }) => name),
    ...(positionOf(resource) ? [DISTANCE] : []),
  ];
  const sorts = keys.flatMap((name) => [name, `-${name}`]);
  return [
    listParameter(
      'sort',
      names(sorts),
      `With \`-\` descending; what has no value is last, and what is the same is in the order of the IDs.${positionOf(resource) ? ' `distance` is that from the centre of `near`, of the position as the caller is told it.' : ''}`,
      { maxItems: MAX_SORT_KEYS },
    ),
    queryParameter(
      'count',
      names(['exact', 'none']),
      'Whether more than 10,000 are counted too, which may take long, or nothing is.',
    ),
    queryParameter('expand', names(['true', 'false']), 'Adds the objects, as a read gives them.'),
    listParameter(
      'include',
      names(includable(resource)),
      'With `expand`: adds summaries of what these fields refer to, as `included`.',
    ),
    listParameter(
      'fields',
      names(selectable(resource)),
      'With `expand`: cuts each object to these.',
    ),
  ];
}
