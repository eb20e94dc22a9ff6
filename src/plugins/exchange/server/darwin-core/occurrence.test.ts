import { TableRow } from '../package/row';
import type { ImportedField, SiteFields } from '../package/dataset';
import { readFact } from './facts';
import { mediumAt } from './media';
import { isAbsence, readOccurrence, type Occurrence } from './occurrence';
import { readTaxon } from './taxon';

const field = (
  name: string,
  term: string,
  kind: ImportedField['kind'],
  rest: Partial<ImportedField> = {},
): ImportedField => ({
  ...{ name, term, kind, choices: [], min: null, max: null, derived: false },
  ...{ maxLength: 255, maxItems: 100 },
  ...rest,
});

const byName = (fields: readonly ImportedField[]): SiteFields['declared'] =>
  new Map(fields.map((one) => [one.name, one]));

const SITE: SiteFields = {
  declared: byName([
    field('latitude', 'decimalLatitude', 'number', { min: -90, max: 90 }),
    field('longitude', 'decimalLongitude', 'number', { min: -180, max: 180 }),
    field('coordinate_uncertainty', 'coordinateUncertaintyInMeters', 'number', { min: 0 }),
    field('elevation', 'minimumElevationInMeters', 'number', { min: -11_000, max: 9000 }),
    field('sex', 'sex', 'choice', { choices: ['male', 'female', 'unknown'] }),
    field('living_status', 'vitality', 'choice', { choices: ['alive', 'dead', 'unknown'] }),
    field('basis_of_record', 'basisOfRecord', 'choice', {
      choices: ['human_observation', 'machine_observation', 'specimen'],
    }),
    field('group_size', 'individualCount', 'integer', { min: 1 }),
    field('observers', 'recordedBy', 'texts'),
    field('country_code', 'countryCode', 'country'),
    field('behavior', 'behavior', 'text'),
    field('state', 'identificationVerificationStatus', 'choice', {
      choices: ['approved'],
      derived: true,
    }),
  ]),
  custom: new Set(['weather']),
  regions: new Set(['assen']),
};

const ARCHIVE = { source: 'archive', license: null, separators: new Map<string, string>() };

const row = (cells: Record<string, string>): TableRow =>
  new TableRow(
    new Map(Object.keys(cells).map((term, index) => [term, index])),
    Object.values(cells),
    2,
    { file: 'occurrence.txt', missing: new Set(['']) },
  );

/** What is read of these cells, and the faults. */
function read(cells: Record<string, string>): Occurrence & { told: string[] } {
  const given = row(cells);
  const occurrence = readOccurrence(given, 'o1', ARCHIVE, SITE);
  return { ...occurrence, told: given.faults.map(({ field, reason }) => `${field} ${reason}`) };
}

const EMPTY = { source: 'archive', external_id: 'o1', basis_of_record: null };

const CERTAIN: [Record<string, string>, object][] = [
  [{ sex: 'Male' }, { sex: 'male' }],
  [{ sex: 'F' }, { sex: 'female' }],
  [{ sex: 'Unknown' }, { sex: 'unknown' }],
  [{ sex: 'Undetermined' }, { sex: 'unknown' }],
  [{ basisOfRecord: 'HumanObservation' }, { basis_of_record: 'human_observation' }],
  [{ basisOfRecord: 'PRESERVED_SPECIMEN' }, { basis_of_record: 'specimen' }],
  [{ vitality: 'Alive' }, { living_status: 'alive' }],
  [
    { decimalLatitude: '53,00776667', decimalLongitude: '-0' },
    { latitude: 53.00776667, longitude: 0 },
  ],
  [
    { decimalLatitude: '1,234', decimalLongitude: '\u22126.5', geodeticDatum: 'WGS 84' },
    { latitude: 1.234, longitude: -6.5 },
  ],
  [
    { decimalLatitude: '1', decimalLongitude: '2', coordinateUncertaintyInMeters: '5,3' },
    { latitude: 1, longitude: 2, coordinate_uncertainty: 5.3 },
  ],
  [{ minimumElevationInMeters: '-6', maximumElevationInMeters: '-6.0' }, { elevation: -6 }],
  [{ maximumElevationInMeters: '12' }, { elevation: 12 }],
  [{ recordedBy: 'Ann Roe | Bo Lee|' }, { observers: ['Ann Roe', 'Bo Lee'] }],
  [{ recordedBy: 'Roe, A.; Lee, B.' }, { observers: ['Roe, A.', 'Lee, B.'] }],
  [{ countryCode: 'nl' }, { country_code: 'NL' }],
  [{ individualCount: '12' }, { group_size: 12 }],
  [{ organismQuantity: '3', organismQuantityType: 'Individuals' }, { group_size: 3 }],
  [{ organismQuantity: '3', organismQuantityType: 'kg' }, {}],
  [{ occurrenceRemarks: 'a', eventRemarks: 'b' }, { remarks: 'a\nb' }],
  [{ locality: 'Assen' }, { locality: 'Assen' }],
  [{ locationID: 'assen' }, { location_id: 'assen' }],
  [{ locationID: 'elsewhere' }, {}],
  [{ license: 'http://creativecommons.org/licenses/by/4.0/legalcode' }, { license: 'CC-BY-4.0' }],
  [{ license: 'CC0_1_0' }, { license: 'CC0-1.0' }],
  [
    { eventID: '3F0C58F8-0F0E-4B43-9D4F-0B2A4A1B7C11' },
    { event_id: '3f0c58f8-0f0e-4b43-9d4f-0b2a4a1b7c11' },
  ],
  [{ datasetID: 'doi:1' }, { source: 'doi:1' }],
  [{ dynamicProperties: '{"weather":"rain"}' }, { custom_fields: { weather: 'rain' } }],
  [{ identificationVerificationStatus: 'approved' }, {}],
];

test.each(CERTAIN)('%j is certain', (cells, expected) => {
  const { body, told } = read(cells);
  expect(body).toEqual({ ...EMPTY, ...expected });
  expect(told).toEqual([]);
});

const UNCERTAIN: [Record<string, string>, string][] = [
  [{ sex: 'hermaphrodite' }, 'sex means none of male, female, unknown for certain'],
  [
    { basisOfRecord: 'Occurrence' },
    'basisOfRecord means none of human_observation, machine_observation, specimen for certain',
  ],
  [{ individualCount: '0', occurrenceStatus: 'present' }, 'individualCount is less than 1'],
  [{ individualCount: '1,250' }, 'individualCount is not a number'],
  [{ individualCount: '2.5' }, 'individualCount is not a whole number'],
  [{ decimalLatitude: '53' }, 'decimalLongitude is missing, and the position left out'],
  [{ decimalLatitude: '530', decimalLongitude: '6' }, 'decimalLatitude is more than 90'],
  [
    { decimalLatitude: '53', decimalLongitude: '6', geodeticDatum: 'NAD27' },
    'geodeticDatum is not WGS 84, and the position left out',
  ],
  [{ countryCode: 'ZZ' }, 'countryCode is no country code of ISO 3166-1'],
  [{ license: 'all rights reserved' }, 'license is none of the licenses that records can have'],
  [{ dynamicProperties: 'tail=12' }, 'dynamicProperties is no JSON object'],
  [{ behavior: 'caf\uFFFD' }, 'behavior is not in the encoding of its file'],
  [
    { organismName: 'Bella' },
    'organismName identifies no animal for certain without an organismID',
  ],
];

test.each(UNCERTAIN)('%j is left out and reported', (cells, fault) => {
  const { body, organism, told } = read(cells);
  expect(body).toEqual(EMPTY);
  expect(organism).toBeNull();
  expect(told[0]).toBe(fault);
});

test('what is said of generalized positions, ranges and other properties are facts', () => {
  const { body, facts, told } = read({
    dataGeneralizations: 'rounded to 0.1°',
    informationWithheld: 'x'.repeat(256),
    minimumElevationInMeters: '10',
    maximumElevationInMeters: '20',
    dynamicProperties: '{"tail":12.5,"note":"bent"}',
  });
  expect(body).toEqual({ ...EMPTY, remarks: `informationWithheld: ${'x'.repeat(256)}` });
  expect(facts).toEqual([
    { type: 'minimumElevationInMeters', value: 10, unit: 'm' },
    { type: 'maximumElevationInMeters', value: 20, unit: 'm' },
    { type: 'dataGeneralizations', value: 'rounded to 0.1°', unit: null },
    { type: 'tail', value: 12.5, unit: null },
    { type: 'note', value: 'bent', unit: null },
  ]);
  expect(told).toEqual([]);
});

test('an organism has its ID, its name and its remarks', () => {
  const cells = { organismID: 'b1', organismName: 'Bella', organismRemarks: 'ringed' };
  expect(read(cells).organism).toEqual({
    ...{ id: 'b1', name: 'Bella', remarks: 'ringed', column: 'organismID' },
  });
  expect(read({ individualID: 'b2' }).organism).toMatchObject({ id: 'b2', column: 'individualID' });
});

test('what an earlier import has kept comes back, and what is no text of it is told', () => {
  const kept = { habitat: 'forest', depthZone: 3, 'bell\u0007': 'x', note: 'a\u0000b' };
  const { verbatim, told } = read({ verbatim: JSON.stringify(kept) });
  expect(verbatim).toEqual({
    ...{ habitat: 'forest', depthZone: '3' },
    ...{ '"bell\\u0007"': 'x', note: '"a\\u0000b"' },
  });
  expect(told).toEqual(['verbatim has values that are no texts']);
  expect(read({ verbatim: '{"habitat":"forest"}' })).toMatchObject({
    ...{ verbatim: { habitat: 'forest' }, told: [] },
  });
});

test('an absence is no encounter', () => {
  expect(isAbsence(row({ occurrenceStatus: 'Absent' }))).toBe(true);
  expect(isAbsence(row({ individualCount: '0' }))).toBe(true);
  expect(isAbsence(row({ individualCount: '0', occurrenceStatus: 'present' }))).toBe(false);
  expect(isAbsence(row({}))).toBe(false);
});

const MEASURED: [string, number | string][] = [
  ['12.50', 12.5],
  ['-0', 0],
  ['007', '007'],
  ['1,5', '1,5'],
  ['adult', 'adult'],
  ['9'.repeat(20), '9'.repeat(20)],
];

test.each(MEASURED)('the measurementValue %s', (measurementValue, value) => {
  const given = row({ measurementType: 'tail', measurementValue, measurementUnit: 'cm' });
  expect(readFact(given)).toEqual({ type: 'tail', value, unit: 'cm' });
});

test('a taxon has its ancestors, and no authorship in its name', () => {
  expect(
    readTaxon(
      row({
        scientificName: 'Vulpes vulpes (Linnaeus, 1758)',
        scientificNameAuthorship: 'Linnaeus, 1758',
        taxonRank: 'Species',
        kingdom: 'Animalia',
        genus: 'Vulpes',
        subfamily: 'Caninae',
        taxonID: 'gbif:5219243',
        vernacularName: 'red fox | fox',
        language: 'eng',
      }),
    ),
  ).toMatchObject({
    scientificName: 'Vulpes vulpes',
    rank: 'species',
    authorship: 'Linnaeus, 1758',
    vernacularNames: { en: 'red fox' },
    gbifKey: 5_219_243,
    higher: [
      { scientificName: 'Animalia', rank: 'kingdom' },
      { scientificName: 'Caninae', rank: 'subfamily' },
      { scientificName: 'Vulpes', rank: 'genus' },
    ],
  });
});

test('a name follows from its parts, and a subspecies is below its species', () => {
  const parts = { genus: 'Vulpes', specificEpithet: 'vulpes' };
  expect(readTaxon(row(parts))).toMatchObject({ scientificName: 'Vulpes vulpes', rank: 'species' });
  const below = { ...parts, infraspecificEpithet: 'crucigera', taxonRank: 'subspecies' };
  expect(readTaxon(row(below))).toMatchObject({
    scientificName: 'Vulpes vulpes crucigera',
    higher: [{ rank: 'genus' }, { scientificName: 'Vulpes vulpes', rank: 'species' }],
  });
  expect(readTaxon(row({ kingdom: 'Animalia' }))).toBeNull();
  expect(readTaxon(row({ scientificName: 'Aves', vernacularName: 'birds' }))).toMatchObject({
    rank: null,
    vernacularNames: { und: 'birds' },
  });
});

test('a file is in the archive, outside of it, or elsewhere', () => {
  const place = { file: 'occurrence.txt', line: 2, field: 'associatedMedia' };
  expect(mediumAt('./images\\a.jpg', place)).toMatchObject({ path: 'images/a.jpg' });
  expect(mediumAt('https://example.org/a.jpg', place)).toBe('elsewhere');
  expect(mediumAt('../a.jpg', place)).toBeNull();
  expect(mediumAt('/etc/passwd', place)).toBeNull();
});
