import * as yup from 'yup';
import type { BoundingBox } from '../site/settings';
import { isAbsent, knownNames, listCheck, string } from './checks';
import { type KindDefinition, jsonColumn } from './kind';
import { localizedSchema, localizedText, normalizeLocalized } from './localized';
import { deep, isPlainObject, mapEntries, withoutNegativeZero } from './normalize';
import { fault, validUnless } from './yup-issues';

/** Characters of the key of a region: what `location_id` of an encounter holds. */
export const MAX_REGION_KEY = 100;
/** Characters of its name in one language. */
const MAX_NAME = 255;

const isLongitude = (value: unknown): boolean => Math.abs(Number(value)) <= 180;
const isLatitude = (value: unknown): boolean => Math.abs(Number(value)) <= 90;

function isBoundingBox(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 4 || !value.every(Number.isFinite)) return false;
  const [west, south, east, north] = value as unknown as BoundingBox;
  return [west, east].every(isLongitude) && [south, north].every(isLatitude) && south <= north;
}

const key = () => string({ minLength: 1, maxLength: MAX_REGION_KEY });
const required = fault('REQUIRED', {});

const region = yup
  .object({
    id: key().nonNullable(required).defined(required),
    name: localizedText(MAX_NAME).nonNullable(required).defined(required),
    parent: key().nullable(),
    bbox: yup
      .mixed()
      .test(
        'bbox',
        fault('FORMAT', { expected: 'bbox' }),
        (value) => isAbsent(value) || isBoundingBox(value),
      )
      .nullable(),
  })
  .typeError(fault('TYPE', { expected: 'object' }))
  .nonNullable(fault('TYPE', { expected: 'object' }))
  .test('names', knownNames(new Set(['id', 'name', 'parent', 'bbox'])));

/** What the regions are to each other. */
type Node = { readonly id?: unknown; readonly parent?: unknown };

/** Every key once; every parent there; no region within itself. */
function treeFaults(value: unknown, context: yup.TestContext): true | yup.ValidationError {
  if (!Array.isArray(value)) return true;
  const nodes = value.filter(isPlainObject) as readonly Node[];
  const parents = new Map(nodes.map(({ id, parent }) => [id, parent ?? null]));
  const wrong = (at: number, name: keyof Node, message: ReturnType<typeof fault>) =>
    context.createError({ path: `${context.path}.${at}.${name}`, message });
  const seen = new Set<unknown>();
  const faults = (value as readonly (Node | null)[]).flatMap((node, at) => {
    if (!isPlainObject(node)) return [];
    const { id, parent }: Node = node;
    const found: yup.ValidationError[] = [];
    if (seen.has(id)) found.push(wrong(at, 'id', fault('TAKEN', {})));
    seen.add(id);
    if (typeof parent !== 'string') return found;
    if (!parents.has(parent)) found.push(wrong(at, 'parent', fault('NO_SUCH', { type: 'region' })));
    else if (leadsTo(id, parent, parents))
      found.push(wrong(at, 'parent', fault('CONFLICT', { with: 'id' })));
    return found;
  });
  return validUnless(faults);
}

/** Whether the way up from a region comes to this one. */
function leadsTo(id: unknown, from: unknown, parents: ReadonlyMap<unknown, unknown>): boolean {
  const passed = new Set<unknown>();
  for (let at = from; at !== null && !passed.has(at); at = parents.get(at) ?? null) {
    if (at === id) return true;
    passed.add(at);
  }
  return false;
}

function normalizeRegion(given: unknown): unknown {
  if (!isPlainObject(given)) return given;
  const { bbox } = given;
  // A form with four empty inputs.
  const isEmpty = Array.isArray(bbox) && bbox.length > 0 && bbox.every(isAbsent);
  const said = mapEntries(given, (name, value) => {
    if (name === 'name') return normalizeLocalized(value);
    // Numbers, if anything: texts are not worth the look.
    return name === 'bbox' && Array.isArray(value) ? value.map(withoutNegativeZero) : deep(value);
  });
  return { parent: null, bbox: null, ...said, ...(isEmpty ? { bbox: null } : {}) };
}

/** The regions of the site settings: a tree by `parent`, in the order in which they are shown. */
export const regions: KindDefinition = {
  ...jsonColumn,
  empty: [],
  longest: () => MAX_NAME,
  normalize: (value) => (Array.isArray(value) ? value.map(normalizeRegion) : value),
  check: (field) => listCheck(field, region).test('tree', treeFaults),
  schema: ({ maxItems }) => ({
    type: 'array',
    maxItems,
    items: {
      type: 'object',
      required: ['id', 'name'],
      additionalProperties: false,
      properties: {
        id: { type: 'string', minLength: 1, maxLength: MAX_REGION_KEY },
        name: localizedSchema(MAX_NAME),
        parent: {
          type: ['string', 'null'],
          maxLength: MAX_REGION_KEY,
          description: 'The `id` of the region that it lies in.',
        },
        bbox: {
          type: ['array', 'null'],
          items: { type: 'number' },
          minItems: 4,
          maxItems: 4,
          description: 'West, south, east and north in degrees (RFC 7946, section 5).',
        },
      },
    },
  }),
  parameter: null,
  referredId: null,
};
