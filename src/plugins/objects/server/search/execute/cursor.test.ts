import { createPlaceCursors } from './cursor';

const cursors = createPlaceCursors('a secret of the installation');
const place = { keys: [[1_614_666_600_000, 1_614_666_600_000]], id: 'an ID' };

test('a cursor is the place that it was made of, for what it is bound to', () => {
  const cursor = cursors.encode(place, 'bound');
  expect(cursors.decode(cursor, 'bound')).toEqual(place);
  expect(cursors.decode(cursor, 'another')).toBeNull();
});

test('a cursor from before times were those of their places is none', () => {
  const earlier =
    'uzpCDawZVXk-_P0SxchBkC4eGVa1M2X8Z-byuryKhDfWBcNY7ukaoxBW1s9r_GXSuS1vfPdONClIak0FqsN2dIHKrlzBNNaDHX5yWLD-gutbtqw2GUwxpw';
  expect(cursors.decode(earlier, 'bound')).toBeNull();
});
