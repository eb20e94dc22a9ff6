import type { Observation, RefusedObservation } from './observations';
import { Staging } from './staging';

const BASE: Observation = {
  id: '',
  level: 'media',
  deployment: 'd1',
  event: 'e1',
  media: 'm1',
  time: { start: at(0), end: at(0) },
  scientificName: 'Anas platyrhynchos',
  individual: null,
  count: 1,
  sex: null,
  lifeStage: null,
  behavior: null,
  classifier: 'A. Person',
  tags: [],
  remarks: null,
  measurements: [],
  verbatim: null,
  allMedia: [],
};

function at(second: number): Observation['time']['start'] {
  const text = `2020-05-30T02:57:${String(second).padStart(2, '0')}Z`;
  return { text, at: Date.parse(text) };
}

/** What becomes of observations in this order, and of these that were refused. */
function stage(
  observations: (Partial<Observation> & { id: string })[],
  ...refused: RefusedObservation[]
): {
  sightings: Observation[];
  merged: number;
  repeated: number[];
} {
  const staging = new Staging();
  try {
    observations.forEach((observation, index) =>
      staging.add({
        observation: { ...BASE, ...observation },
        origin: { file: 'observations.csv', line: index + 2 },
      }),
    );
    refused.forEach((observation) => staging.refuse(observation));
    const repeated: number[] = [];
    staging.finish(({ origin }) => repeated.push(origin.line));
    const sightings = [...staging.sightings()].map(({ observation }) => observation);
    const count = staging.count();
    expect(count.sightings).toBe(sightings.length);
    return { sightings, merged: count.merged, repeated };
  } finally {
    staging.close();
  }
}

const ids = (observations: Observation[]): string[] => observations.map(({ id }) => id);

test('media of an event and taxon that has an observation of its own add nothing, before it or after', () => {
  const { sightings, merged } = stage([
    { id: 'before' },
    { id: 'event', level: 'event', media: null },
    { id: 'after', scientificName: 'anas Platyrhynchos' },
  ]);
  expect(ids(sightings)).toEqual(['event']);
  expect(merged).toBe(2);
});

test('media of another taxon, event or deployment make encounters of their own', () => {
  const { sightings } = stage([
    { id: 'event', level: 'event', media: null },
    { id: 'taxon', scientificName: 'Ardea' },
    { id: 'deployment', deployment: 'd2' },
    { id: 'other event', event: 'e2' },
  ]);
  expect(ids(sightings).sort()).toEqual(['deployment', 'event', 'other event', 'taxon']);
});

describe('what was refused', () => {
  const PLACE = { deployment: 'd1', event: 'e1', media: null, time: null };
  const MALLARD = 'anas platyrhynchos';
  const MEDIA = [
    { id: 'media' },
    { id: 'unnamed', scientificName: null },
    { id: 'taxon', scientificName: 'Ardea' },
    { id: 'deployment', deployment: 'd2' },
    { id: 'event', event: 'e2' },
  ];

  test.each([
    ['its event and taxon', { place: PLACE, taxon: MALLARD }, ['deployment', 'event', 'taxon']],
    ['each taxon', { place: PLACE, taxon: null }, ['deployment', 'event']],
    [
      'each deployment',
      { place: { ...PLACE, deployment: null }, taxon: MALLARD },
      ['event', 'taxon'],
    ],
    [
      'nothing, of no place',
      { place: { ...PLACE, event: null }, taxon: null },
      ['deployment', 'event', 'media', 'taxon'],
    ],
  ])('keeps %s', (_, refused, left) => {
    expect(ids(stage(MEDIA, refused).sightings).sort()).toEqual(left);
  });

  test('keeps nothing of what fits at event level', () => {
    const drake = { id: 'drake', level: 'event', media: null } as const;
    const { sightings } = stage([drake], { place: PLACE, taxon: MALLARD });
    expect(ids(sightings)).toEqual(['drake']);
  });

  test('is an ID that comes again too, where it is of another event', () => {
    const { sightings, repeated } = stage([
      { id: 'x', event: 'e1' },
      { id: 'x', event: 'e2', level: 'event', media: null },
      { id: 'y', event: 'e2' },
      { id: 'z', event: 'e3' },
      { id: 'z', event: 'e3' },
    ]);
    expect(ids(sightings)).toEqual(['x', 'z']);
    expect(repeated).toEqual([3, 6]);
  });
});

test('two observations of one event and taxon at event level stay two', () => {
  const event = { level: 'event', media: null } as const;
  const { sightings } = stage([
    { id: 'hen', ...event, sex: 'female' },
    { id: 'drake', ...event, sex: 'male' },
  ]);
  expect(ids(sightings)).toEqual(['drake', 'hen']);
});

test('an animal that nobody named is the one that somebody named in the same event', () => {
  expect(ids(stage([{ id: 'unnamed', scientificName: null }, { id: 'named' }]).sightings)).toEqual([
    'named',
  ]);
  expect(ids(stage([{ id: 'unnamed', scientificName: null }]).sightings)).toEqual(['unnamed']);
});

test('media make one encounter of an event, a taxon and an individual, from the first to the last', () => {
  const { sightings, merged } = stage([
    { id: 'c', time: { start: at(40), end: at(40) }, media: 'm3', tags: ['wet'], remarks: 'one' },
    { id: 'b', time: { start: at(10), end: at(10) }, behavior: 'foraging', sex: 'female' },
    { id: 'a', time: { start: at(10), end: at(12) }, media: 'm2', tags: ['wet', 'dark'] },
    { id: 'd', time: { start: at(20), end: at(20) }, media: 'm2', individual: 'RD213' },
  ]);
  expect(sightings).toHaveLength(2);
  expect(sightings[0]).toMatchObject({
    id: 'a',
    time: { start: at(10), end: at(40) },
    sex: 'female',
    behavior: 'foraging',
    remarks: 'one',
  });
  expect([...(sightings[0]?.tags ?? [])].sort()).toEqual(['dark', 'wet']);
  expect(sightings[1]).toMatchObject({ id: 'd', individual: 'RD213' });
  expect(merged).toBe(2);
});

test('the group is as large as the most that one classifier saw in one file', () => {
  const { sightings } = stage([
    { id: '1', media: 'm1', count: 1, lifeStage: 'adult' },
    { id: '2', media: 'm2', count: 1, lifeStage: 'adult' },
    { id: '3', media: 'm1', count: 9, lifeStage: 'juvenile' },
    { id: '4', media: 'm1', count: 8, classifier: 'A machine' },
    { id: '5', media: 'm3', count: null },
  ]);
  expect(sightings).toMatchObject([{ count: 10, lifeStage: null }]);
  expect(stage([{ id: '1', count: null }]).sightings).toMatchObject([{ count: null }]);
});

test('without an event each media file is one, and without that each instant', () => {
  const { sightings } = stage([
    { id: '1', event: null, media: 'm1' },
    { id: '2', event: null, media: 'm1' },
    { id: '3', event: null, media: 'm2' },
    { id: '4', event: null, media: null },
    { id: '5', event: null, media: null, time: { start: at(5), end: at(5) } },
  ]);
  expect(ids(sightings).sort()).toEqual(['1', '3', '4', '5']);
});

test('an ID that comes again is told, and the first one stays', () => {
  const { sightings, repeated } = stage([
    { id: 'x', event: 'e1' },
    { id: 'y', event: 'e2' },
    { id: 'x', event: 'e3' },
  ]);
  expect(ids(sightings)).toEqual(['x', 'y']);
  expect(repeated).toEqual([4]);
});
