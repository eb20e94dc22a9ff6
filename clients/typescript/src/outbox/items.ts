import { isTransient, type Failure, type Fault } from '../failure.js';
import type { Schemas } from '../types.js';

/** Fields with their values, as they go over the wire. */
export type Values = Readonly<Record<string, unknown>>;

/** Why the service has refused an item, or that it waits for a decision. */
export interface Refusal {
  readonly key: string;
  readonly args: object;
  readonly faults: readonly Fault[];
  /** The photograph that was refused, if it was one. */
  readonly photograph: string | null;
}

/** A field that somebody else has changed to another value meanwhile. */
export interface ConflictField {
  readonly field: string;
  /** As it was when the change was made. */
  readonly base: unknown;
  /** As the change has it. */
  readonly mine: unknown;
  /** As it is now. */
  readonly theirs: unknown;
}

/** A change that does not go together with another one; the values that are to be, by field, settle it. */
export interface Conflict {
  readonly key: string;
  readonly type: string;
  readonly id: string;
  /** The version that has `theirs`. */
  readonly version: number;
  readonly fields: readonly ConflictField[];
}

interface Queued {
  /** What the item is called in the queue. */
  readonly key: string;
  readonly type: string;
  /** The object. */
  readonly id: string;
  /** The order in which items are sent: about the milliseconds since 1970 at which they came. */
  readonly order: number;
  /** The IDs that its photographs have in its body; they are sent directly before it. */
  readonly photographs: readonly string[];
  /** Set when it was refused: it is sent again after `retry`. */
  readonly refusal: Refusal | null;
}

export interface QueuedCreate extends Queued {
  readonly op: 'create';
  readonly body: Values;
  /** Of a report without an account. */
  readonly claim: string | null;
}

export interface QueuedUpdate extends Queued {
  readonly op: 'update';
  readonly changes: Values;
  /** What the changed fields were, and in which version. */
  readonly base: { readonly version: number; readonly values: Values };
  /** What was sent of each field without an answer: the object may have it. */
  readonly tried: Readonly<Record<string, readonly unknown[]>>;
  readonly conflict: Conflict | null;
}

export type Item = QueuedCreate | QueuedUpdate;

/** A photograph of an item. */
export interface QueuedPhotograph {
  readonly op: 'photograph';
  /** What it is called in the bodies of items. */
  readonly id: string;
  /** The asset that it is, or becomes. */
  readonly asset: string;
  readonly claim: string | null;
  readonly file: Blob;
  readonly fields: Omit<Schemas['AssetForm'], 'file' | 'id' | 'claim'>;
  readonly isSent: boolean;
}

/** What the queue's store holds, by key. */
export type Entry = Item | QueuedPhotograph;

/** How often an item is begun anew in one sending: photographs that are gone, and changes that keep coming in between. */
export const MAX_ROUNDS = 5;

export const isItem = (entry: Entry): entry is Item => entry.op !== 'photograph';

/** Whether a failure concerns the whole queue, so that the rest of it need not be tried now. */
export const stopsAll = (failure: Failure): boolean =>
  failure.key === 'CLIENT_CANCELED' ||
  failure.status === 401 ||
  (isTransient(failure) && failure.key !== 'API_RESPONSE_INTERNAL_ERROR');

export const photographKey = (id: string): string => `photograph:${id}`;

/** Whether a value holds a text anywhere. */
export const mentions = (value: unknown, text: string): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).some((part) => mentions(part, text))
    : value === text;

/** A value with other texts in place of some, wherever they are. */
export function replaced<T>(value: T, texts: ReadonlyMap<unknown, string>): T {
  if (Array.isArray(value)) return value.map((part: unknown) => replaced(part, texts)) as T;
  if (typeof value !== 'object' || value === null) return (texts.get(value) ?? value) as T;
  const parts = Object.entries(value).map(([name, part]) => [name, replaced(part, texts)] as const);
  return Object.fromEntries(parts) as T;
}
