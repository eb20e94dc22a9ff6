import type { Kind } from '#app/plugins/objects/server/declare/kinds';
import type { Field } from '#app/plugins/objects/server/declare/completed';
import type { Fault } from '../helpers/scenario';
import { uuid } from '../helpers/ids';
import { individualNames, relationships } from './individual-samples';
import { bad, good, ofOtherTypes, TARGET, type Samples } from './sample';
import { customFieldDefinitions, notes, regions } from './site-samples';

export { TARGET };

const EMOJI = '\u{1F993}';

function text(field: Field): Samples {
  const { minLength, maxLength, fold } = field;
  const folded = (value: string): string => (fold === 'lower' ? value.toLowerCase() : value);
  return {
    good: [
      good('Plain Text', folded('Plain Text')),
      good('  trimmed\t', 'trimmed'),
      good('Cafe\u0301', folded('Caf\u00e9')),
      good('a\r\nb\rc\td', fold === 'blanks' ? 'a b c d' : 'a\nb\nc\td'),
      good(EMOJI.repeat(maxLength)),
      good(`${'a'.repeat(maxLength)} `, 'a'.repeat(maxLength)),
    ],
    bad: [
      ...ofOtherTypes('string', 5, true, [], {}, ['a']),
      bad('a'.repeat(maxLength + 1), 'TOO_LONG', { max: maxLength }),
      bad(EMOJI.repeat(maxLength + 1), 'TOO_LONG', { max: maxLength }),
      bad('a\u0000b', 'FORMAT', { expected: 'text' }),
      bad('a\u007fb', 'FORMAT', { expected: 'text' }),
      bad('a\u0085b', 'FORMAT', { expected: 'text' }),
      bad('a\ud800b', 'FORMAT', { expected: 'text' }),
      ...(minLength > 0 ? [bad('  ', 'TOO_SHORT', { min: minLength })] : []),
    ],
  };
}

const UPPER = 'A0B0C0D0-0000-7000-8000-00000000000F';

const identifier: Samples = {
  good: [good(uuid(5)), good(UPPER, UPPER.toLowerCase())],
  bad: [
    ...ofOtherTypes('string', 5, {}, []),
    ...['', 'x', uuid(5).slice(1), uuid(5).replace(/-/g, ''), uuid(5).replace('a', 'g')].map(
      (value) => bad(value, 'FORMAT', { expected: 'uuid' }),
    ),
    ...[`${uuid(5)}0`, `{${uuid(5)}}`, `urn:uuid:${uuid(5)}`].map((sent) =>
      bad(sent, 'FORMAT', { expected: 'uuid' }),
    ),
    bad('00000000-0000-0000-0000-000000000000', 'FORMAT', { expected: 'uuid' }),
    bad('FFFFFFFF-ffff-ffff-ffff-ffffffffffff', 'FORMAT', { expected: 'uuid' }),
  ],
};

function number({ kind, min, max }: Field): Samples {
  const isWhole = kind === 'integer';
  const [low, high] = [min ?? -2147483647, max ?? 2147483647];
  return {
    good: [
      good(low),
      good(high),
      good(low + 1),
      ...(isWhole || low > 0 ? [] : [good(0.1 + 0.2)]),
      ...(low > 0 ? [] : [good(-0, 0)]),
    ],
    bad: [
      ...ofOtherTypes(kind, '5', '', true, [], {}),
      bad(low - 1, 'TOO_SMALL', { value: low - 1, min: low }),
      bad(high + 1, 'TOO_LARGE', { value: high + 1, max: high }),
      ...(isWhole ? [bad(low + 0.5, 'TYPE', { expected: 'integer' })] : []),
    ],
  };
}

const DAY = 86_400_000;
const dayFromNow = (days: number): string =>
  new Date(Date.now() + days * DAY).toISOString().slice(0, 10);

const time: Samples = {
  good: [
    '2021',
    '2021-06',
    '2021-06-03',
    '2021-06-03T14:05+02:00',
    '2021-06-03T14:05:09.123456789-09:30',
    '2021-06-03T14:05Z',
    '2021-06-03T14:05',
    '2020-02-29',
    '2021/2022',
    '2021-06-03T14:05+02:00/2021-06-03T15:05+02:00',
    dayFromNow(0),
    String(new Date().getUTCFullYear()),
  ].map((value) => good(value)),
  bad: [
    ...ofOtherTypes('string', 2021, {}, []),
    ...[
      '',
      'yesterday',
      '21',
      '2021-13',
      '2021-02-29',
      '2021-6-3',
      '2021-06-03T25:00Z',
      '2021-06-03T14:60Z',
      '2021-06-03T14Z',
      '2021-06-03 14:05Z',
      '2021-06-03T14:05+15:00',
      '2021-06-03T14:05z',
      '2022/2021',
      '2021/',
      '/2021',
      '2021/2022/2023',
      '0000',
      '2021?',
      '2021~',
      '202X',
    ].map((value) => bad(value, 'FORMAT', { expected: 'edtf' })),
    bad(dayFromNow(3), 'TOO_LARGE'),
    bad(`2021/${dayFromNow(3)}`, 'TOO_LARGE'),
  ],
};

const localized = ({ maxLength }: Field): Samples => ({
  good: [
    good({ en: 'plains zebra', fr: 'zèbre des plaines' }),
    good({}),
    good({ 'PT-br': ' zebra ', eng: 'Cafe\u0301' }, { 'pt-BR': 'zebra', en: 'Caf\u00e9' }),
    good({ en: 'a'.repeat(maxLength) }),
  ],
  bad: [
    ...ofOtherTypes('object', 'zebra', 5, [], [{}]),
    bad({ 'not a tag': 'x' }, 'FORMAT', { expected: 'bcp47' }, '.not a tag'),
    bad({ constructor: 'x' }, 'FORMAT', { expected: 'bcp47' }, '.constructor'),
    bad({ en: 5 }, 'TYPE', { expected: 'string' }, '.en'),
    bad({ en: null }, 'TYPE', { expected: 'string' }, '.en'),
    bad({ en: ' ' }, 'TOO_SHORT', { min: 1 }, '.en'),
    bad({ en: 'a'.repeat(maxLength + 1) }, 'TOO_LONG', { max: maxLength }, '.en'),
    bad({ en: 'a', eng: 'b' }, 'CONFLICT', { with: 'en' }, '.eng'),
    bad({ en: 'a\u0000' }, 'FORMAT', { expected: 'text' }, '.en'),
  ],
});

function texts({ maxItems, maxLength, fold, distinct }: Field): Samples {
  const items = (count: number): string[] => Array.from({ length: count }, (_, n) => `item ${n}`);
  const folded = (value: string): string => (fold === 'lower' ? value.toLowerCase() : value);
  const twice = ['B', 'a', ' B '].map((value) => folded(value.trim()));
  return {
    good: [
      good([]),
      good(['B', 'a', ' B '], distinct ? [...new Set(twice)] : twice),
      good(['Cafe\u0301'], [folded('Caf\u00e9')]),
      good(items(maxItems)),
      good([EMOJI.repeat(maxLength)]),
    ],
    bad: [
      ...ofOtherTypes('array', 'a', 5, {}, { 0: 'a', length: 1 }),
      bad(items(maxItems + 1), 'TOO_LONG', { max: maxItems }),
      bad(['a', ''], 'TOO_SHORT', { min: 1 }, '.1'),
      bad(['a'.repeat(maxLength + 1)], 'TOO_LONG', { max: maxLength }, '.0'),
      bad(['a\u0001'], 'FORMAT', { expected: 'text' }, '.0'),
      {
        sent: [null, 5, ['a']],
        faults: [0, 1, 2].map((n): Fault => [`.${n}`, 'TYPE', { expected: 'string' }]),
      },
    ],
  };
}

const measurements = ({ maxItems }: Field): Samples => ({
  good: [
    good([]),
    good([{ type: ' mass ', value: -0, unit: 'kg' }], [{ type: 'mass', value: 0, unit: 'kg' }]),
    good([{ type: 'coat', value: 'striped' }]),
    good([{ type: 'coat', value: 'striped', unit: null }]),
    good([{ type: 'mass', value: 0.30000000000000004, unit: 'kg' }]),
  ],
  bad: [
    ...ofOtherTypes('array', 'mass', 5, {}),
    bad(Array(maxItems + 1).fill({ type: 'a', value: 1 }), 'TOO_LONG', { max: maxItems }),
    bad([null], 'TYPE', { expected: 'object' }, '.0'),
    bad(['mass'], 'TYPE', { expected: 'object' }, '.0'),
    {
      sent: [
        { type: 'a', value: 1 },
        { unit: 5, colour: 1 },
      ],
      faults: [
        ['.1.type', 'REQUIRED', {}],
        ['.1.value', 'REQUIRED', {}],
        ['.1.unit', 'TYPE', { expected: 'string' }],
        ['.1.colour', 'UNKNOWN', {}],
      ],
    },
    bad([{ type: '', value: 1 }], 'TOO_SHORT', { min: 1 }, '.0.type'),
    bad([{ type: 'a', value: true }], 'TYPE', { expected: 'number_or_string' }, '.0.value'),
    bad([{ type: 'a', value: [1] }], 'TYPE', { expected: 'number_or_string' }, '.0.value'),
    bad([{ type: 'a', value: null }], 'REQUIRED', {}, '.0.value'),
  ],
});

/** References to a type that is not there yet: whatever they are, they are nothing. */
const reference = ({ to, columns }: Field): Samples => ({
  good: columns.length === 0 ? [] : [good(TARGET), good(TARGET.toUpperCase(), TARGET)],
  bad: [
    bad('x', 'FORMAT', { expected: 'uuid' }),
    ...ofOtherTypes('string', 5, [TARGET], { id: TARGET }),
    bad(uuid(0xdead), 'NO_SUCH', { type: to }),
  ],
});

const references = ({ to, maxItems, link }: Field): Samples => ({
  good: link === null ? [good([])] : [good([TARGET]), good([]), good([TARGET, TARGET], [TARGET])],
  bad: [
    ...ofOtherTypes('array', uuid(1), 5, {}),
    bad(
      Array.from({ length: maxItems + 1 }, (_, number) => uuid(number)),
      'TOO_LONG',
      { max: maxItems },
    ),
    {
      sent: [uuid(1), uuid(2)],
      faults: [
        ['.0', 'NO_SUCH', { type: to }],
        ['.1', 'NO_SUCH', { type: to }],
      ],
    },
    {
      sent: ['x', null],
      faults: [
        ['.0', 'FORMAT', { expected: 'uuid' }],
        ['.1', 'TYPE', { expected: 'uuid' }],
      ],
    },
  ],
});

const none: Samples = { good: [], bad: [] };

/** What is sent for a field of each kind: a new kind does not compile until it has an entry. */
export const SAMPLES: Record<Kind, (field: Field) => Samples> = {
  id: () => none,
  text,
  name: (field) => ({
    good: [
      good('Ana Núñez'),
      good('A\u00a0b\u3000c', 'A b c'),
      good('नमस्\u200dते'),
      good('👩\u200d🔬'),
    ],
    bad: [
      ...text(field).bad,
      ...[
        'a\nb',
        'a\tb',
        'a\u200bb',
        'a\u200db',
        '\u202eab',
        'a\u2066b',
        'a\u00adb',
        '\u2800',
        'ﾠ',
      ].map((value) => bad(value, 'FORMAT', { expected: 'name' })),
    ],
  }),
  uuid: () => identifier,
  email: () => ({
    good: [good('Somebody@example.org'), good(' a+b@sub.example.co.uk ', 'a+b@sub.example.co.uk')],
    bad: [
      ...ofOtherTypes('string', 5, [], {}),
      ...['', 'x', 'a@b', '@b.co', 'a@', 'a b@c.de', 'a@b..co', 'a@b.co, c@d.co'].map((value) =>
        bad(value, 'FORMAT', { expected: 'email' }),
      ),
    ],
  }),
  url: () => ({
    good: [good('https://example.org/a?b=c#d'), good('http://localhost:3000')],
    bad: ['', 'x', 'javascript:alert(1)', 'ftp://example.org', 'https://a:b@example.org'].map(
      (value) => bad(value, 'FORMAT', { expected: 'url' }),
    ),
  }),
  country: () => ({
    good: [good('UK', 'GB'), good('xk', 'XK'), good('KE'), good('ke', 'KE'), good(' de ', 'DE')],
    bad: [
      ...ofOtherTypes('string', 5, [], {}),
      ...['XX', 'k1', '\u017fe', '', 'KEN'].map((value) =>
        bad(value, 'FORMAT', { expected: 'country' }),
      ),
    ],
  }),
  language: () => ({
    good: [good('fr'), good('PT-br', 'pt-BR'), good('eng', 'en')],
    bad: [
      ...ofOtherTypes('string', 5, [], {}),
      ...['', 'x', 'no language'].map((value) => bad(value, 'FORMAT', { expected: 'bcp47' })),
    ],
  }),
  choice: ({ choices, spellings }) => ({
    good: [
      ...choices.map((choice) => good(choice)),
      ...Object.entries(spellings).map(([sent, kept]) => good(sent, kept)),
    ],
    bad: ['', 'nope', choices[0]?.toUpperCase().replace(/^C/, 'c'), 5, true, [choices[0]], {}].map(
      (value) => bad(value, 'NOT_ONE_OF', { allowed: choices }),
    ),
  }),
  number,
  integer: number,
  boolean: () => ({
    good: [good(true), good(false)],
    bad: ofOtherTypes('boolean', 'true', 1, 0, '', [], {}),
  }),
  time: () => time,
  instant: () => none,
  localized,
  texts,
  languages: () => ({
    good: [good(['en', 'PT-br', 'eng', 'fr'], ['en', 'pt-BR', 'fr'])],
    bad: [
      ...ofOtherTypes('array', 'en', 5, {}),
      bad([], 'TOO_SHORT', { min: 1 }),
      bad(['en', 'no language'], 'FORMAT', { expected: 'bcp47' }, '.1'),
      bad(['en', null], 'TYPE', { expected: 'bcp47' }, '.1'),
    ],
  }),
  origins: ({ maxItems }) => ({
    good: [good([]), good(['https://map.example.org', 'http://localhost:3000'])],
    bad: [
      ...ofOtherTypes('array', 'https://map.example.org', 5, {}),
      ...['https://a.example/', 'https://a.example:443', 'HTTPS://a.example', 'a.example', '*'].map(
        (value) => bad([value], 'FORMAT', { expected: 'origin' }, '.0'),
      ),
      bad(Array(maxItems + 1).fill('https://a.example'), 'TOO_LONG', { max: maxItems }),
    ],
  }),
  regions,
  notes,
  customFieldDefinitions,
  jsonObject: () => ({
    good: [
      good({}),
      good({ theme: { colors: ['#fff', null, 1.5, true] }, 'e\u0301': ' as it is ' }),
    ],
    bad: [
      ...ofOtherTypes('object', 'x', 5, []),
      bad({ a: 'x'.repeat(65_530) }, 'TOO_LONG', { max: 65_536 }),
    ],
  }),
  measurements,
  individualNames,
  textsByTerm: () => ({
    good: [
      good({}, null),
      good(
        { habitat: ' reed bed\r\n', 'e\u0301': 'e\u0301' },
        { habitat: 'reed bed', '\u00e9': '\u00e9' },
      ),
    ],
    bad: [
      ...ofOtherTypes('object', 'x', 5, []),
      bad({ habitat: 5 }, 'TYPE', { expected: 'string' }, '.habitat'),
      bad({ habitat: ' ' }, 'TOO_SHORT', { min: 1 }, '.habitat'),
      bad({ ['x'.repeat(129)]: 'x' }, 'TOO_LONG', { max: 128 }, `.${'x'.repeat(129)}`),
      bad({ a: 'x'.repeat(65_530) }, 'TOO_LONG', { max: 65_536 }),
    ],
  }),
  customFields: () => ({
    good: [good({})],
    bad: [
      ...ofOtherTypes('object', 'x', 5, []),
      {
        sent: { one: 1, two: 2 },
        faults: [
          ['.one', 'UNKNOWN', {}],
          ['.two', 'UNKNOWN', {}],
        ],
      },
    ],
  }),
  region: () => ({
    good: [],
    bad: [bad('nowhere', 'NO_SUCH', { type: 'region' }), ...ofOtherTypes('string', 5, {}, [])],
  }),
  reference,
  references,
  relationships,
  paths: () => ({
    good: [good({})],
    bad: [
      ...ofOtherTypes('object', 'x', 5, []),
      bad({ banner: '/api/v0/asset/x/file' }, 'NO_SUCH', { type: 'asset' }, '.banner'),
      bad({ banner: 5 }, 'TYPE', { expected: 'string' }, '.banner'),
      bad({ 'a b': 'x' }, 'FORMAT', { expected: 'key' }, '.a b'),
    ],
  }),
  path: ({ to }) => ({
    good: [],
    bad: [
      ...ofOtherTypes('string', 5, [], {}),
      bad('/api/v0/asset/x/file', 'NO_SUCH', { type: to }),
    ],
  }),
  renditions: () => none,
  secret: ({ minLength, maxLength, input }) => ({
    good: [],
    bad: [
      ...ofOtherTypes('string', 5, true, [], {}),
      bad('a1'.repeat(maxLength / 2) + 'a', 'TOO_LONG', { max: maxLength }),
      ...(input
        ? []
        : [
            bad('kq3-zu', 'TOO_SHORT', { min: minLength }),
            // One of the most common, too: a form shows one sentence.
            bad('password', 'TOO_SHORT', { min: minLength }),
            bad('1234567890', 'FORMAT', {
              expected: 'uncommon_password',
            }),
          ]),
    ],
  }),
};
