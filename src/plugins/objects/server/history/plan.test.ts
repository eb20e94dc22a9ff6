import type { HistoryFilters } from './parameters';
import { planHistory } from './plan';

const ALL: HistoryFilters = {
  object: 'an ID',
  actor: 'an account',
  type: 'encounter',
  action: 'update',
  atMin: 1,
  atMax: 2,
};
const NONE: HistoryFilters = {
  ...{ object: null, actor: null, type: null, action: null, atMin: null, atMax: null },
};

/** What a plan does, in a line. */
function lineOf(filters: Partial<HistoryFilters>): string {
  const { by, scanned, checked, order } = planHistory({ ...NONE, ...filters });
  const texts = (all: typeof scanned): string => all.map(({ sqlite }) => sqlite).join(' and ');
  return `${by}, by ${order}: ${texts(scanned)} | ${texts(checked)}`;
}

test('the history is searched by the index of the filter that narrows it most', () => {
  const { actor, type, action, atMin } = ALL;
  const lines = [
    {},
    { atMin },
    { type },
    { action },
    { type, action },
    { type, action: 'merge' },
    { actor, type, action },
    ALL,
  ].map(lineOf);
  expect(lines).toEqual([
    'time, by at:  | ',
    'time, by at: at >= ? | ',
    'type, by at: type = ? | ',
    'action, by at: action = ? | ',
    'type, by at: type = ? | action = ?',
    'action, by at: action = ? | type = ?',
    'actor, by at: actor_id = ? | type = ? and action = ?',
    'object, by seq: object = ? | actor_id = ? and type = ? and action = ? and at >= ? and at <= ?',
  ]);
});
