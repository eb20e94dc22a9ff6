import type { Client } from '../client.js';
import { failureOf, type Failure } from '../failure.js';
import { persistently, type RetryOptions } from '../retry.js';
import { Deliverer, type Delivery } from './deliver.js';
import { mentions, type Conflict, type Item, type QueuedCreate, type Values } from './items.js';
import type { OutboxOptions } from './options.js';
import type { OutboxStore } from './store.js';

export interface Sending {
  /** The keys of what the service has now. */
  readonly sent: readonly string[];
  /** What is still in the queue: refused, in conflict, dependent on such, or not tried. */
  readonly left: readonly Item[];
  /** Why the rest was not tried: no connection, a session that has ended, or one of `another account`; else null. */
  readonly stoppedBy: Failure | 'another account' | null;
}

/** A queue as it is sent. */
interface Queue extends Pick<OutboxOptions, 'account' | 'reports' | 'onConflict'> {
  readonly client: Client;
  readonly store: OutboxStore;
  readonly signal?: AbortSignal;
  items(): Promise<readonly Item[]>;
  change(key: string, change: (item: Item) => Item | undefined): Promise<void>;
  resolve(conflict: Conflict, values: Values): Promise<void>;
}

/** How often a request is tried before the sending is given up. */
const TRIES = 3;

/** Sends each item of a queue for which nothing that it needs is missing. */
export async function sendAll(queue: Queue): Promise<Sending> {
  const sent: string[] = [];
  const ended = async (stoppedBy: Sending['stoppedBy']): Promise<Sending> => ({
    sent,
    left: await queue.items(),
    stoppedBy,
  });
  const { client, store, signal } = queue;
  const retry = { tries: TRIES, signal };
  const items = await queue.items();
  const stranger = items.length === 0 ? null : await strangerTo(queue, retry);
  if (stranger !== null) return ended(stranger);
  const deliverer = new Deliverer(client, store, retry, (item) => keepClaim(queue, item));
  await deliverer.sweep();
  /** The objects that the service does not have yet. */
  const missing = new Set(items.filter(({ op }) => op === 'create').map(({ id }) => id));
  const left = new Set(items.filter(({ refusal }) => refusal === null));
  for (let wereSent = -1; wereSent < sent.length;) {
    wereSent = sent.length;
    for (const item of left) {
      if ([...missing].some((id) => needs(item, id))) continue;
      left.delete(item);
      const delivery = await deliver(queue, deliverer, item);
      if (delivery.is === 'stopped') return ended(delivery.failure);
      if (delivery.is !== 'sent') continue;
      sent.push(item.key);
      missing.delete(item.id);
    }
  }
  return ended(null);
}

/** Whether an item can be sent only after an object was created. */
const needs = (item: Item, id: string): boolean =>
  item.op === 'create'
    ? item.id !== id && mentions(item.body, id)
    : item.id === id || mentions(item.changes, id);

/** Why a queue cannot be sent with the session that there is; null where it can. */
async function strangerTo(
  { client, account }: Queue,
  retry: RetryOptions,
): Promise<Sending['stoppedBy']> {
  try {
    const session = await persistently(() => client.whoAmI(), retry);
    return (session?.user.id ?? null) === account ? null : 'another account';
  } catch (error) {
    return failureOf(error);
  }
}

async function deliver(queue: Queue, deliverer: Deliverer, item: Item): Promise<Delivery> {
  const delivery = await deliverer.deliver(item);
  if (delivery.is === 'refused') await keepRefusal(queue, item, delivery);
  return delivery.is === 'in conflict' ? settle(queue, deliverer, item, delivery) : delivery;
}

/** Asks how a conflict is settled. */
async function settle(
  queue: Queue,
  deliverer: Deliverer,
  item: Item,
  delivery: Delivery & { is: 'in conflict' },
): Promise<Delivery> {
  const { conflict } = delivery;
  const values = await queue.onConflict?.(conflict);
  if (!values) {
    await queue.change(item.key, (one) => (one.op === 'update' ? { ...one, conflict } : one));
    return delivery;
  }
  await queue.resolve(conflict, values);
  return deliver(queue, deliverer, item);
}

async function keepRefusal(
  queue: Queue,
  { key }: Item,
  { refusal }: Delivery & { is: 'refused' },
): Promise<void> {
  // A fault of the service: the next sending tries it again.
  if (refusal.key === 'API_RESPONSE_INTERNAL_ERROR') return;
  await queue.change(key, (item) => ({ ...item, refusal }));
}

/** The claim of a report without an account, by which it can be adopted. */
function keepClaim({ reports }: Queue, { id, claim, order }: QueuedCreate): void {
  if (claim === null) return;
  reports?.keep({ id, claim, madeAt: new Date(order).toISOString(), body: null });
}
