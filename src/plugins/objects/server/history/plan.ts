/** How entries of the history are found, as a value: by the index that narrows them most, as far as that is known before. */
import { raw, sql, type Sql } from '../database/sql';
import type { HistoryFilters } from './parameters';

export interface HistoryPlan {
  /** The filter whose index is used; `time` where there is none but that of the order. */
  readonly by: 'object' | 'actor' | 'action' | 'type' | 'time';
  /** Conditions that this index serves, together with the order. */
  readonly scanned: readonly Sql[];
  /** Further conditions, which are checked for each entry that is met. */
  readonly checked: readonly Sql[];
  /** By number, or by time and number. */
  readonly order: 'seq' | 'at';
}

/** The entries of one object, the newest first. Objects of two types may have the same ID. */
export const ofObject = (type: string, object: string): HistoryPlan => ({
  by: 'object',
  scanned: [sql`object = ${object}`, sql`type = ${type}`],
  checked: [],
  order: 'seq',
});

/** Actions of which there are so many that the type of an entry narrows a search more. */
const COMMON: ReadonlySet<string> = new Set(['create', 'update']);

/** The filters, those first whose indexes narrow a search most. */
export function planHistory({
  object,
  actor,
  type,
  action,
  atMin,
  atMax,
}: HistoryFilters): HistoryPlan {
  const given = (column: string, value: string | null): readonly Sql[] =>
    value === null ? [] : [sql`${raw(column)} = ${value}`];
  const [ofId, ofActor, ofType, ofAction] = [
    given('object', object),
    given('actor_id', actor),
    given('type', type),
    given('action', action),
  ];
  const during = [
    ...(atMin === null ? [] : [sql`at >= ${atMin}`]),
    ...(atMax === null ? [] : [sql`at <= ${atMax}`]),
  ];
  if (object !== null)
    return {
      by: 'object',
      scanned: ofId,
      checked: [...ofActor, ...ofType, ...ofAction, ...during],
      order: 'seq',
    };
  const inTime = (
    by: HistoryPlan['by'],
    scanned: readonly Sql[],
    checked: readonly Sql[],
  ): HistoryPlan => ({ by, scanned: [...scanned, ...during], checked, order: 'at' });
  if (actor !== null) return inTime('actor', ofActor, [...ofType, ...ofAction]);
  if (action !== null && (type === null || !COMMON.has(action)))
    return inTime('action', ofAction, ofType);
  return inTime(type === null ? 'time' : 'type', ofType, ofAction);
}
