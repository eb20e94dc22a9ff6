import type { Field } from '#app/plugins/objects/server/declare/completed';
import type { Fault } from '../helpers/scenario';
import { bad, good, ofOtherTypes, type Samples } from './sample';

const region = { id: 'mara', name: { en: 'Mara' }, parent: null, bbox: null };

export const regions = ({ maxItems }: Field): Samples => ({
  good: [
    good([]),
    good([{ id: ' mara ', name: { eng: ' Mara ' } }], [region]),
    good([
      { ...region, parent: 'kenya', bbox: [34.7, -1.9, 35.4, -1.2] },
      { ...region, id: 'kenya', name: {} },
      { ...region, id: 'taveuni', bbox: [179.8, -17, -179.8, -16.7] },
    ]),
  ],
  bad: [
    ...ofOtherTypes('array', 'mara', 5, {}),
    bad(
      Array.from({ length: maxItems + 1 }, (_, at) => ({ ...region, id: `region ${at}` })),
      'TOO_LONG',
      { max: maxItems },
    ),
    bad([null], 'TYPE', { expected: 'object' }, '.0'),
    {
      sent: [{ parent: 5, colour: 1 }],
      faults: [
        ['.0.id', 'REQUIRED', {}],
        ['.0.name', 'REQUIRED', {}],
        ['.0.parent', 'TYPE', { expected: 'string' }],
        ['.0.colour', 'UNKNOWN', {}],
      ],
    },
    bad([{ ...region, name: { xx_: 'x' } }], 'FORMAT', { expected: 'bcp47' }, '.0.name.xx_'),
    bad([{ ...region, id: 'a'.repeat(101) }], 'TOO_LONG', { max: 100 }, '.0.id'),
    bad([region, region], 'TAKEN', {}, '.1.id'),
    bad([{ ...region, parent: 'kenya' }], 'NO_SUCH', { type: 'region' }, '.0.parent'),
    bad([{ ...region, parent: 'mara' }], 'CONFLICT', { with: 'id' }, '.0.parent'),
    {
      sent: [
        { ...region, id: 'a', parent: 'b' },
        { ...region, id: 'b', parent: 'c' },
        { ...region, id: 'c', parent: 'a' },
        { ...region, id: 'd', parent: 'a' },
      ],
      faults: [0, 1, 2].map((at): Fault => [`.${at}.parent`, 'CONFLICT', { with: 'id' }]),
    },
    ...[[1, 2, 3], [1, 2, 3, '4'], [-181, 0, 0, 0], [0, -91, 0, 0], [0, 1, 0, 0.5], 'x', {}].map(
      (bbox) => bad([{ ...region, bbox }], 'FORMAT', { expected: 'bbox' }, '.0.bbox'),
    ),
  ],
});

const note = { title: { en: 'Place' }, text: { en: 'Where was it?', fr: 'Où était-ce ?' } };

export const notes = ({ maxItems }: Field): Samples => ({
  good: [
    good([]),
    good([{ title: { eng: ' Place ' }, text: note.text }], [note]),
    good(Array.from({ length: maxItems }, () => note)),
  ],
  bad: [
    ...ofOtherTypes('array', 'place', 5, {}),
    bad(
      Array.from({ length: maxItems + 1 }, () => note),
      'TOO_LONG',
      { max: maxItems },
    ),
    bad([null], 'TYPE', { expected: 'object' }, '.0'),
    {
      sent: [{ title: null, key: 1 }],
      faults: [
        ['.0.title', 'REQUIRED', {}],
        ['.0.text', 'REQUIRED', {}],
        ['.0.key', 'UNKNOWN', {}],
      ],
    },
    bad([{ ...note, title: {} }], 'TOO_SHORT', { min: 1 }, '.0.title'),
    bad([{ ...note, text: { en: 'x'.repeat(2001) } }], 'TOO_LONG', { max: 2000 }, '.0.text.en'),
    bad([{ ...note, title: { xx_: 'x' } }], 'FORMAT', { expected: 'bcp47' }, '.0.title.xx_'),
  ],
});

const definition = {
  key: 'mood',
  type: 'string',
  label: {},
  description: null,
  category: null,
  options: [],
  required: false,
  public_when_obscured: false,
  retired: false,
};
const select = { ...definition, type: 'select', options: [{ value: 'calm', label: {} }] };

export const customFieldDefinitions = (): Samples => {
  const given = (field: unknown) => ({ encounter: [field] });
  const wrong = (field: unknown, path: string, key: string, args?: Fault[2]) =>
    bad(given(field), key, args, `.encounter.0${path}`);
  return {
    good: [
      good({}, { encounter: [], individual: [] }),
      good(
        { individual: [{ key: 'mood', type: 'string' }] },
        { encounter: [], individual: [definition] },
      ),
      good(
        given({
          ...select,
          label: { eng: ' Mood ' },
          category: 'Behavior',
          options: [{ value: ' calm ' }, { value: 'alert', label: { fr: 'alerte' } }],
          required: true,
          retired: true,
        }),
        {
          encounter: [
            {
              ...select,
              label: { en: 'Mood' },
              category: 'Behavior',
              options: [
                { value: 'calm', label: {} },
                { value: 'alert', label: { fr: 'alerte' } },
              ],
              required: true,
              retired: true,
            },
          ],
          individual: [],
        },
      ),
    ],
    bad: [
      ...ofOtherTypes('object', 'x', 5, []),
      bad({ user: [] }, 'UNKNOWN', {}, '.user'),
      bad({ encounter: {} }, 'TYPE', { expected: 'array' }, '.encounter'),
      bad({ encounter: null }, 'TYPE', { expected: 'array' }, '.encounter'),
      // What may be of one animal is not told of hidden records.
      wrong({ ...definition, public_when_obscured: true }, '.public_when_obscured', 'CONFLICT', {
        with: 'type',
      }),
      wrong({ ...definition, label: null }, '.label', 'TYPE', { expected: 'object' }),
      wrong({ ...definition, options: null }, '.options', 'TYPE', { expected: 'array' }),
      wrong({ ...definition, retired: null }, '.retired', 'TYPE', { expected: 'boolean' }),
      bad({ encounter: [definition, definition] }, 'TAKEN', {}, '.encounter.1.key'),
      wrong(null, '', 'TYPE', { expected: 'object' }),
      wrong({ ...definition, key: 'a-b' }, '.key', 'FORMAT', { expected: 'key' }),
      wrong({ ...definition, key: '__proto' }, '.key', 'FORMAT', { expected: 'key' }),
      wrong({ ...definition, type: 'text' }, '.type', 'NOT_ONE_OF'),
      wrong({ ...definition, required: 'yes' }, '.required', 'TYPE', { expected: 'boolean' }),
      wrong({ ...definition, colour: 1 }, '.colour', 'UNKNOWN', {}),
      wrong({ ...definition, label: 'Mood' }, '.label', 'TYPE', { expected: 'object' }),
      wrong({ ...select, options: [] }, '.options', 'REQUIRED', {}),
      wrong({ ...select, type: 'string' }, '.options', 'CONFLICT', { with: 'type' }),
      wrong({ ...select, options: [{ value: 'a' }, { value: 'a' }] }, '.options.1.value', 'TAKEN'),
      wrong({ ...select, options: [{ label: {} }] }, '.options.0.value', 'REQUIRED', {}),
    ],
  };
};
