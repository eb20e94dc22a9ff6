import { learn, learnFromExport, type Known, type Knowledge } from './collect';
import { join, METHODS, type MethodName } from './estimate';
import type { Place } from './places';
import { reach, shareOf } from './table';

const CELL = { latitude: -2.3, longitude: 34.9 };
const DEN = { latitude: -2.36, longitude: 34.83 };

const known = (id: string, more: Partial<Known> = {}): Known => ({
  id,
  isHidden: false,
  place: DEN,
  taxon: null,
  owner: null,
  event: null,
  individual: null,
  time: null,
  photographs: [],
  appeared: 0,
  changed: -1,
  before: null,
  ...more,
});
const target = known('target', { isHidden: true, place: CELL, time: '2021-06', appeared: 1 });

const of = (records: readonly Known[], more: Partial<Knowledge> = {}): Knowledge => ({
  encounters: new Map(records.map((one) => [one.id, one])),
  individuals: new Map(),
  orders: [],
  ...more,
});
const estimated = (method: MethodName, from: Known, knowledge: Knowledge): Place | null =>
  METHODS.find(({ name }) => name === method)?.estimate(from, join(knowledge)) ?? null;

/** What a target and an open record have in common, by the method that joins them by it. */
const JOINED: readonly (readonly [MethodName, Partial<Known>])[] = [
  ['event', { event: 'e' }],
  ['told time', { time: '2021-06-03T14:05' }],
  ['photograph', { photographs: ['p'] }],
  ['companions (owner, cell, month)', { owner: 'o', time: '2021-06' }],
  ['hour of appearance', { appeared: 7 }],
];

describe.each(JOINED)('by %s', (method, common) => {
  const from = { ...target, ...common };

  test('the open record says where it was', () => {
    expect(estimated(method, from, of([from, known('open', common)]))).toEqual(DEN);
  });

  test('a hidden one and one in another cell say nothing', () => {
    const hidden = known('hidden', { ...common, isHidden: true });
    const far = known('far', { ...common, place: { latitude: 3, longitude: 3 } });
    expect(estimated(method, from, of([from, hidden, far]))).toBeNull();
  });

  test('nothing is joined by what is not told', () => {
    const open = known('open', { appeared: 2 });
    expect(estimated(method, target, of([target, open]))).toBeNull();
  });
});

test('a month, which many share, is no moment', () => {
  expect(estimated('told time', target, of([target, known('o', { time: '2021-06' })]))).toBeNull();
});

test('a hidden record is found through the list of its individual, and by its kin', () => {
  const calf = known('calf', { individual: 'kin' });
  const individuals = new Map([
    ['animal', { encounters: ['target'], kin: ['kin'] }],
    ['kin', { encounters: [], kin: [] }],
  ]);
  expect(estimated('relationships', target, of([target, calf], { individuals }))).toEqual(DEN);
});

test('the record beside it in some order says where it was', () => {
  const open = [known('a'), known('b', { place: { latitude: -2.2, longitude: 34.9 } })];
  const orders = [['b', 'x', 'y', 'target', 'a']];
  expect(estimated('order of searches', target, of([target, ...open], { orders }))).toEqual(DEN);
});

test('what was told exactly stays known, of it and of what changed in the same hour', () => {
  const was = { ...target, before: DEN };
  expect(estimated('what changed together', was, of([was]))).toEqual(DEN);
  const changed = { ...target, changed: 3 };
  const other = known('other', { changed: 3, isHidden: true, place: CELL, before: DEN });
  expect(estimated('what changed together', changed, of([changed, other]))).toEqual(DEN);
});

test('a poll keeps when a record appeared, when it changed, and where it was told to be', () => {
  const told = { id: 'a', generalized: null, latitude: 1, longitude: 2, time: '2021-06-03' };
  const first = learn(told, undefined, 4);
  expect(first).toMatchObject({ appeared: 4, changed: -1, before: null, isHidden: false });
  expect(learn(told, first, 5)).toMatchObject({ appeared: 4, changed: -1 });
  const hidden = {
    id: 'a',
    generalized: 'obscured',
    latitude: 1.1,
    longitude: 2.1,
    time: '2021-06',
  };
  expect(learn(hidden, first, 6)).toMatchObject({
    appeared: 4,
    changed: 6,
    before: { latitude: 1, longitude: 2 },
    place: { latitude: 1.1, longitude: 2.1 },
  });
});

test('what an export tells beyond a read is learned', () => {
  const csv = 'id,individual,event_id,time\r\ntarget,animal,"e1",2021-06-03T14:05\r\nother,,,\r\n';
  const learned = learnFromExport(csv, new Map([[target.id, target]])).get('target');
  expect(learned).toMatchObject({ individual: 'animal', time: '2021-06-03T14:05' });
});

test('a method that finds nothing says the cell', () => {
  const sought = [{ home: DEN, target: 'target', hasPhotograph: true }];
  const [first, ...others] = reach(sought, of([target]));
  expect([first, ...others].map((one) => one && shareOf(one))).toEqual(METHODS.map(() => 1));
  const found = reach(sought, of([{ ...target, event: 'e' }, known('open', { event: 'e' })]));
  expect(found.find(({ method }) => method === 'event')).toMatchObject({ error: 0, within: 1 });
});
