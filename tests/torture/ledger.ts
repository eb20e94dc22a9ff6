import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../helpers/json';

/** One change that was requested. */
export interface Attempt {
  readonly object: string;
  readonly action: 'create' | 'update' | 'delete';
  /** A word that no other change writes. */
  readonly mark: string;
  /** The version in the acknowledgment: a 200 that was read to its end. Null if the outcome is unknown. */
  version: number | null;
  /** Of the answer; null where there was none. */
  status: number | null;
  /** That of the acknowledgment. */
  transactionId: string | null;
  /** Whether the service refused it: none of it may be stored. */
  refused: boolean;
}

/** An encounter as the database holds it. */
export interface StoredObject {
  readonly id: string;
  readonly version: number;
  readonly fields: Json;
}

/** An entry of the history as the database holds it, in the order of `seq`. */
export interface StoredEntry {
  readonly object: string;
  readonly version: number;
  readonly action: string;
  /** Each field's value after the change. */
  readonly after: Json;
}

export interface Stored {
  readonly objects: readonly StoredObject[];
  readonly entries: readonly StoredEntry[];
}

/** What a change writes: a plain column and every kind of list. */
export const bodyOf = (mark: string): Json => ({
  remarks: mark,
  tags: [mark, 'torture'],
  observers: [`Observer of ${mark}`, 'Öğrenci "Ñ"'],
  measurements: [{ type: 'length', value: mark.length, unit: mark }],
});

/**
 * Compares what is stored with all requested changes, and gives the faults: acknowledged and missing, stored and never
 * requested, stored in part, in the wrong order.
 */
export function faultsOf(attempts: readonly Attempt[], { objects, entries }: Stored): string[] {
  const history = grouped(entries);
  const asked = grouped(attempts);
  const rows = new Map(objects.map((row) => [row.id, row]));
  const ids = new Set([...history.keys(), ...asked.keys(), ...rows.keys()]);
  return [...ids].flatMap((id) => {
    const own = history.get(id) ?? [];
    return [
      ...faultsOfSteps(own),
      ...faultsOfRow(own, rows.get(id)),
      ...faultsOfAttempts(asked.get(id) ?? [], own),
    ].map((fault) => `${id}: ${fault}`);
  });
}

function grouped<T extends { readonly object: string }>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.object);
    if (group) group.push(item);
    else groups.set(item.object, [item]);
  }
  return groups;
}

/** Versions 1 to n without a gap; a creation first, a deletion last, of the version that it ended. */
function faultsOfSteps(entries: readonly StoredEntry[]): string[] {
  const isDeleted = entries.at(-1)?.action === 'delete';
  const kept = isDeleted ? entries.slice(0, -1) : entries;
  const told = entries.map(({ action, version }) => `${action} ${version}`).join(', ');
  const expected = [
    ...kept.map((_, n) => `${n === 0 ? 'create' : 'update'} ${n + 1}`),
    ...(isDeleted ? [`delete ${kept.length}`] : []),
  ].join(', ');
  const isWhole = told === expected && !(isDeleted && kept.length === 0);
  return isWhole ? [] : [`the history is ${told}, not ${expected}`];
}

/** The row is what the last entry of the history says, in each of its columns. */
function faultsOfRow(entries: readonly StoredEntry[], row: StoredObject | undefined): string[] {
  const last = entries.at(-1);
  if (!last || last.action === 'delete') return row ? ['a row without history'] : [];
  if (!row) return [`a history (${last.action} ${last.version}) without a row`];
  const faults: string[] = [];
  if (row.version !== last.version)
    faults.push(`the row is version ${row.version}, the history ${last.version}`);
  const expected = bodyOf(String(last.after['remarks']));
  for (const [field, value] of Object.entries(expected)) {
    if (!isDeepStrictEqual(row.fields[field], value))
      faults.push(`${field} is ${JSON.stringify(row.fields[field])}`);
    if (!isDeepStrictEqual(last.after[field], value))
      faults.push(`the history has ${field} ${JSON.stringify(last.after[field])}`);
  }
  return faults;
}

function faultsOfAttempts(attempts: readonly Attempt[], entries: readonly StoredEntry[]): string[] {
  const keyOf = ({ action, mark }: Pick<Attempt, 'action' | 'mark'>): string =>
    action === 'delete' ? action : `${action} ${mark}`;
  const asked = new Map(attempts.map((attempt) => [keyOf(attempt), attempt]));
  const found = new Map<string, number>();
  const faults: string[] = [];
  for (const { action, version, after } of entries) {
    const mark = String(after['remarks']);
    const key = keyOf({ action: action as Attempt['action'], mark });
    const attempt = asked.get(key);
    if (!attempt) faults.push(`${key} was never asked for`);
    else if (attempt.refused) faults.push(`${key} was refused, and is there`);
    if (found.has(key)) faults.push(`${key} is there twice`);
    found.set(key, version);
  }
  for (const attempt of attempts) {
    if (attempt.version === null || found.get(keyOf(attempt)) === attempt.version) continue;
    const stored = found.get(keyOf(attempt)) ?? 'lost';
    faults.push(`${keyOf(attempt)} was acknowledged as ${attempt.version}, and is ${stored}`);
  }
  return faults;
}
