import { lastDue } from './schedule';

const at = (text: string): number => Date.parse(text);

test.each([
  ['02:00', 120, '2026-03-01T02:00:00Z', '2026-03-01T02:00:00Z'],
  ['02:00', 120, '2026-03-01T01:59:59.999Z', '2026-02-28T02:00:00Z'],
  ['02:00', 120, '2026-03-01T23:59:00Z', '2026-03-01T02:00:00Z'],
  ['00:00', 0, '2026-03-01T00:00:00Z', '2026-03-01T00:00:00Z'],
  ['23:59', 1439, '2026-01-01T00:00:00Z', '2025-12-31T23:59:00Z'],
])('at %s, minute %i, what was last due at %s is of %s', (_time, minutes, now, due) => {
  expect(new Date(lastDue(minutes, at(now)))).toEqual(new Date(at(due)));
});
