import { readDeployment } from './deployments';
import { eventId } from '../package/encounter-body';
import { encounterOf } from './encounter';
import { readObservation, type Observation } from './observations';
import { TableRow } from '../package/row';

const MISSING = new Set(['', 'NA', 'NaN', 'nan']);

function row(cells: Record<string, string>): TableRow {
  const columns = new Map(Object.keys(cells).map((name, index) => [name, index]));
  return new TableRow(columns, Object.values(cells), 2, { file: 'table.csv', missing: MISSING });
}

const OBSERVATION = {
  observationID: 'o1',
  deploymentID: 'd1',
  eventStart: '2020-05-30T02:57:37+02:00',
  eventEnd: '2020-05-30T02:57:44+02:00',
  observationLevel: 'event',
  observationType: 'animal',
};

const DEPLOYMENT = { deploymentID: 'd1', latitude: '51.496', longitude: '4.774' };

function observation(cells: Record<string, string>): Observation | null {
  return readObservation(row({ ...OBSERVATION, ...cells }));
}

function faults(cells: Record<string, string>): string[] {
  const read = row({ ...OBSERVATION, ...cells });
  expect(readObservation(read)).toBeNull();
  return read.faults.map(({ field, reason }) => `${field} ${reason}`);
}

function encounter(cells: Record<string, string>): Record<string, unknown> {
  const read = observation(cells);
  const deployment = readDeployment(row(DEPLOYMENT));
  if (!read || !deployment) throw new Error('a row of the test does not fit');
  return encounterOf(read, deployment, {
    source: 'package',
    license: 'CC0-1.0',
    verbatimLicense: null,
  });
}

describe('time', () => {
  const TIMES = [
    ['2020-05-30T02:57:37Z', '2020-05-30T02:57:37Z', '2020-05-30T02:57:37Z'],
    ['2020-05-30T02:57:37Z', '2020-05-30T04:57:37+02:00', '2020-05-30T02:57:37Z'],
    ['2020-05-30T02:57:37Z', '', '2020-05-30T02:57:37Z'],
    [
      '2020-05-30T02:57:37+02:00',
      '2020-05-30T02:57:44+02:00',
      '2020-05-30T02:57:37+02:00/2020-05-30T02:57:44+02:00',
    ],
    ['2020-05-30T02:57:37+0200', '', '2020-05-30T02:57:37+02:00'],
    ['2020-05-30T02:57:37.5-03:30', 'NA', '2020-05-30T02:57:37.5-03:30'],
  ] as const;

  test.each(TIMES)('%s to %s is %s', (eventStart, eventEnd, time) => {
    expect(encounter({ eventStart, eventEnd }).time).toBe(time);
  });

  const WRONG = [
    [{ eventStart: '' }, 'eventStart is missing'],
    [{ eventStart: '2020-02-30T00:00:00Z' }, 'eventStart is no time that exists'],
    [{ eventStart: '2020-05-30T25:00:00Z' }, 'eventStart is no time that exists'],
    [{ eventStart: '2020-05-30T02:57:37' }, 'eventStart has no UTC offset'],
    [
      { eventStart: '30/05/2020 02:57' },
      'eventStart is not a date and time such as 2020-03-01T22:00:00Z',
    ],
    [{ eventEnd: '2020-05-30T02:57:36+02:00' }, 'eventEnd is before eventStart'],
  ] as const;

  test.each(WRONG)('%j is invalid', (cells, fault) => {
    expect(faults(cells)).toEqual([fault]);
  });
});

test('every column of an observation that an encounter has a field for', () => {
  const cells = {
    eventID: 'e1',
    scientificName: 'Vulpes vulpes',
    count: '2',
    lifeStage: 'juvenile',
    sex: 'female',
    behavior: 'foraging | resting',
    individualID: 'RD213',
    individualPositionRadius: '6.81',
    individualPositionAngle: '-8.56',
    individualSpeed: '1.75',
    classifiedBy: 'A. Person',
    observationTags: 'travelDirection:left |  | wet ',
    observationComments: ' eclipse plumage ',
  };
  expect(encounter(cells)).toEqual({
    time: '2020-05-30T02:57:37+02:00/2020-05-30T02:57:44+02:00',
    latitude: 51.496,
    longitude: 4.774,
    group_size: 2,
    life_stage: 'juvenile',
    sex: 'female',
    behavior: 'foraging | resting',
    basis_of_record: 'machine_observation',
    sampling_protocol: 'camera trap',
    measurements: [
      { type: 'distance from camera', value: 6.81, unit: 'm' },
      { type: 'angle from camera axis', value: -8.56, unit: '°' },
      { type: 'speed', value: 1.75, unit: 'm/s' },
    ],
    tags: ['travelDirection:left', 'wet'],
    remarks: 'eclipse plumage',
    license: 'CC0-1.0',
    source: 'package',
    external_id: 'o1',
    event_id: eventId('package', 'e1'),
    verbatim: {
      ...{ deploymentID: 'd1', eventID: 'e1', observationType: 'animal' },
      classifiedBy: 'A. Person',
    },
  });
});

test('a cell of control characters or of combining marks is refused before anything else sees it', () => {
  const marks = `a${'\u0316\u0301'.repeat(50_000)}`;
  for (const scientificName of [marks, 'Equus\0quagga'])
    expect(row({ scientificName }).text('scientificName')).toBeNull();
  const read = row({ scientificName: marks });
  read.text('scientificName');
  expect(read.faults.map(({ field, reason }) => [field, reason])).toEqual([
    ['scientificName', 'has control characters, or more than 30 combining marks in a row'],
  ]);
});

test('what stands for no value is none', () => {
  const missing = { count: 'NA', sex: 'NaN', lifeStage: 'nan', observationComments: '  ' };
  expect(encounter(missing)).toEqual(encounter({}));
});

test('all that is wrong with a row is told, each column once', () => {
  const wrong = {
    observationID: '',
    count: '0',
    sex: 'both',
    lifeStage: 'old',
    individualSpeed: 'fast',
    observationLevel: 'herd',
    observationComments: 'caf\uFFFD',
  };
  expect(faults(wrong).sort()).toEqual([
    'count is less than 1',
    'individualSpeed is not a number',
    'lifeStage is no word on the lists',
    'observationComments is not in the encoding of its file',
    'observationID is missing',
    'observationLevel is not one of media, event',
    'sex is no word on the lists',
  ]);
  expect(faults({ count: '1.5' })).toEqual(['count is not a whole number']);
});

describe('deployments', () => {
  test('the name of a place comes before its ID, and its depth is that of the camera', () => {
    const cells = {
      ...DEPLOYMENT,
      locationID: 'L1',
      cameraDepth: '4.8',
      coordinateUncertainty: '187',
    };
    expect(readDeployment(row(cells))).toEqual({
      id: 'd1',
      latitude: 51.496,
      longitude: 4.774,
      uncertainty: 187,
      depth: 4.8,
      locality: 'L1',
      localityColumn: 'locationID',
      verbatim: { deploymentID: 'd1' },
      origin: { file: 'table.csv', line: 2 },
    });
    expect(readDeployment(row({ ...cells, locationName: 'The pond' }))).toMatchObject({
      locality: 'The pond',
      localityColumn: 'locationName',
    });
  });

  const WRONG = [
    [{ latitude: '91' }, 'latitude is more than 90'],
    [{ longitude: '-180.1' }, 'longitude is less than -180'],
    [{ latitude: '' }, 'latitude is missing'],
    [{ latitude: '51,4' }, 'latitude is not a number'],
    [{ deploymentID: '' }, 'deploymentID is missing'],
    [{ coordinateUncertainty: 'wide' }, 'coordinateUncertainty is not a number'],
  ] as const;

  test.each(WRONG)('%j is invalid', (cells, fault) => {
    const read = row({ ...DEPLOYMENT, ...cells });
    expect(readDeployment(read)).toBeNull();
    expect(read.faults.map(({ field, reason }) => `${field} ${reason}`)).toEqual([fault]);
  });
});

test('the UUID of an event is fixed', () => {
  expect(eventId('7cca70f5-ef8c-4f86-85fb-8f070937d7ab', '4bb69c45')).toBe(
    '833d1e22-9c6c-501b-87a2-2ca22b80bf7a',
  );
  expect(eventId('another', '4bb69c45')).not.toBe(
    eventId('7cca70f5-ef8c-4f86-85fb-8f070937d7ab', '4bb69c45'),
  );
});
