import { eventOf, instantOf } from './instants';

test.each([
  ['2021-06-03T14:05+02:00', '2021-06-03T14:05:00+02:00'],
  ['2021-06-03T14:05:59.5Z', '2021-06-03T14:05:59Z'],
  ['2021-06-03T14:05', null],
  ['2021-06-03', null],
  ['2021', null],
])('%s is the instant %s', (time, instant) => {
  expect(instantOf(time)).toBe(instant);
});

test('an event needs both of its ends', () => {
  const event = eventOf('2021-06-03T14:05Z/2021-06-03T16:10:00+02:00');
  expect(event).toMatchObject({ start: '2021-06-03T14:05:00Z', end: '2021-06-03T16:10:00+02:00' });
  expect((event?.to ?? 0) - (event?.from ?? 0)).toBe(5 * 60_000);
  expect(eventOf('2021-06-03T14:05Z')).toMatchObject({ end: '2021-06-03T14:05:00Z' });
  expect([eventOf('2021-06-03T14:05Z/2021-06-04'), eventOf('2021/2022'), eventOf(null)]).toEqual([
    null,
    null,
    null,
  ]);
});
