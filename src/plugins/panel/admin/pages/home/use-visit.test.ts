import { expect, test } from '@jest/globals';
import { visitNow } from './use-visit';

const NOW = 1_790_000_000_000;
const MINUTE = 60_000;

test('a visit goes on for who comes back within half an hour, and begins anew afterwards', () => {
  const first = visitNow(null, NOW);
  expect(first).toEqual({ since: NOW - 24 * 60 * MINUTE, seen: NOW });
  const again = visitNow(first, NOW + 20 * MINUTE);
  expect(again).toEqual({ since: first.since, seen: NOW + 20 * MINUTE });
  const later = visitNow(again, NOW + 49 * MINUTE);
  expect(later).toEqual({ since: first.since, seen: NOW + 49 * MINUTE });
  expect(visitNow(later, NOW + 79 * MINUTE)).toEqual({
    since: NOW + 49 * MINUTE,
    seen: NOW + 79 * MINUTE,
  });
});
