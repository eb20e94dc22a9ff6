/** The parameters of searches, as the OpenAPI document has them: from the same lists by which they are read. */
import type { Field, Resource, Resources } from '../../plugins/objects/server/declare/completed';
import { searchSchema } from '../../plugins/objects/server/define/json-schema';
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import { includable } from '../../plugins/objects/server/read/reader';
import {
  customField,
  filtersOf,
  regionFields,
  sortable,
  subtreesOf,
  type FilterName,
} from '../../plugins/objects/server/search/language/filters';
import { positionOf } from '../../plugins/objects/server/declare/position';
import { DISTANCE } from '../../plugins/objects/server/search/language/sort';
import {
  MAX_SORT_KEYS,
  MAX_VALUES,
  MAX_WORDS,
} from '../../plugins/objects/server/search/language/limits';
import { namingFields, textFields } from '../../plugins/objects/server/search/projection/texts';
import { ref, UUID } from './envelope';
import { listParameter, queryParameter } from './parameters';
import { sharedPlace } from './fields';
import { FIELDS_TEXT, INCLUDE_TEXT, selectableSchema } from './schemas';
import { isReferenceList, traitsOf } from '../../plugins/objects/server/kinds/traits';

const TEXT: JsonSchema = { type: 'string' };

/** What holds for all filters. */
export const OF_FILTERS = `A filter has the name of a field, whose schema says what it is. It takes several values with commas between them and finds what has any of them, with \`_not\` what has none of them; \`null\` stands for no value, and a comma within a value has a backslash before it. A field that the caller does not see matches nothing. In any order what has no value is last, and what is the same is in the order of the IDs; distances are those of positions as the caller is told them.

Of the words of \`q\`, ${MAX_WORDS} at most, all have to occur: the beginning of a word is enough, accents and case do not matter.`;

const TIMES = ['2021', '2021-06-03', '2021-06-03/2021-06-05'];

/** A value that the field is compared with. */
function valueSchema(field: Field): JsonSchema {
  const { moment, isTextList } = traitsOf(field);
  if (isReferenceList(field)) return { ...UUID, type: ['string', 'null'] };
  if (isTextList) return { type: ['string', 'null'], maxLength: field.maxLength };
  if (moment === 'span')
    return { type: ['string', 'null'], maxLength: field.maxLength, examples: TIMES };
  if (moment === 'instant') return { type: ['string', 'null'], examples: ['2026-03-09'] };
  return searchSchema(field);
}

/** The filter by what a field is. */
function isParameter({ name, subject }: FilterName, resources: Resources): JsonSchema {
  const items = subject.kind === 'field' ? valueSchema(subject.field) : TEXT;
  // A filter by a field is named like that, and described there.
  const description = subject.kind === 'field' ? null : firstSentence(subject.field.description);
  const parameter = listParameter(name, items, description, { maxItems: MAX_VALUES });
  const text = JSON.stringify(parameter['schema']);
  const [shared] =
    Object.entries(SEARCH_SCHEMAS).find(
      ([, { description: _, ...one }]) => JSON.stringify(one) === text,
    ) ?? [];
  if (shared !== undefined) return { ...parameter, schema: ref(shared) };
  const place = subject.kind === 'field' ? sharedPlace(subject.field, items, resources) : null;
  return place ? listParameter(name, place, description, { maxItems: MAX_VALUES }) : parameter;
}

/**
 * The filters by what a field is not, and by a range, of all types: each property is a parameter of its own, whose name is that
 * of a filter with an end.
 */
const DERIVED: readonly JsonSchema[] = [
  patternParameter(
    'not',
    '_not$',
    TEXT,
    'Each filter with `_not` after its name: what has none of the values. `sex_not=male,unknown`.',
  ),
  patternParameter(
    'range',
    '_(min|max)$',
    ref('Bound'),
    'Each filter by a number or a time with `_min` or `_max` after its name: what is not below, or not above. `time_min=2021`.',
  ),
];

/** A parameter for each name of this pattern. */
function patternParameter(
  name: string,
  pattern: string,
  value: JsonSchema,
  description: string,
  further: JsonSchema = {},
): JsonSchema {
  const patternProperties = { [pattern]: value };
  const schema = { type: 'object', additionalProperties: false, patternProperties, ...further };
  return { ...queryParameter(name, schema, description), explode: true };
}

/** The first sentence of a description, which is enough beside many others. */
const firstSentence = (text: string): string => /^.*?\.(?= [A-Z`]|$)/.exec(text)?.[0] ?? text;

const valuesOf = (items: JsonSchema): JsonSchema => ({
  type: 'array',
  items,
  minItems: 1,
  maxItems: MAX_VALUES,
});

const TIME_VALUES = valuesOf({ type: ['string', 'null'], maxLength: 80, examples: TIMES });

/** What a page of any search tells beside its objects. */
export const PAGE: JsonSchema = {
  type: 'object',
  description:
    'One page. With `expand`, `objects` has the objects of `matches`, in the same order.',
  required: ['limit', 'next'],
  properties: {
    total: {
      type: 'integer',
      description:
        'How many there are: 10,000 at most, unless `count` is `exact`. Absent where it is `none`.',
    },
    total_is_exact: { type: 'boolean', description: 'False where there are more.' },
    limit: { type: 'integer' },
    next: {
      type: ['string', 'null'],
      description: 'The `cursor` of the next page of the same query; null at the end.',
    },
    included: ref('Included'),
  },
};

/** The schemas that parameters of searches share. */
export const SEARCH_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Bound: {
    type: ['number', 'string'],
    examples: [12.5, '2021', '2021-06-03T14:05+02:00'],
    description:
      'Of a number a number. Of a time a time: what reaches into the range is in it, by the calendar and clocks of its place; with an offset the bound is an instant for all times that have one.',
  },
  IdFilter: valuesOf({ type: ['string', 'null'], format: 'uuid' }),
  TimeFilter: {
    ...TIME_VALUES,
    description: 'A time within a value has it: `2021-03-01` is any hour of that day.',
  },
  InstantFilter: valuesOf({ type: ['string', 'null'], examples: ['2026-03-09'] }),
  IntegerFilter: valuesOf({ type: ['integer', 'null'] }),
  BooleanFilter: valuesOf({ type: ['boolean', 'null'] }),
  TextFilter: valuesOf({ type: ['string', 'null'], maxLength: 255 }),
};

/** The parameters that say which objects are found. */
export function filterParameters(resource: Resource, resources: Resources): JsonSchema[] {
  const custom = customField(resource);
  const filters = filtersOf(resource);
  const words = [...textFields(resource), ...namingFields(resource)].map(({ name }) => name);
  return [
    ...filters
      .filter(({ comparison }) => comparison === 'is')
      .map((filter) => isParameter(filter, resources)),
    ...DERIVED,
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
      ? [queryParameter('q', TEXT, `Words in ${words.join(', ')}, or a whole ID.`)]
      : []),
  ];
}

/** By the fields of the site settings: each is a parameter of its own. */
const customParameter = (name: string): JsonSchema =>
  patternParameter(
    name,
    `^${name}\\.[A-Za-z][A-Za-z0-9_]*$`,
    TEXT,
    'By a field that the site settings define: `<key>`, `<key>_not`, and `<key>_min` and `<key>_max` of numbers and days.',
    { examples: [{ [`${name}.water_temp_min`]: '20' }] },
  );

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
      `With \`-\` descending.${positionOf(resource) ? ' `distance` is that from the centre of `near`.' : ''}`,
      { maxItems: MAX_SORT_KEYS },
    ),
    queryParameter(
      'count',
      names(['exact', 'none']),
      'Whether more than 10,000 are counted too, which may take long, or nothing is.',
    ),
    queryParameter('expand', names(['true', 'false']), 'Adds the objects, as a read gives them.'),
    listParameter('include', names(includable(resource)), INCLUDE_TEXT),
    listParameter('fields', selectableSchema(resource), FIELDS_TEXT),
  ];
}
