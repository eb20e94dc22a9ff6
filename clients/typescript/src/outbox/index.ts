import type { Client } from '../client.js';
import type { OutboxOptions } from './options.js';
import { Outbox } from './outbox.js';

export type {
  Conflict,
  ConflictField,
  Item,
  QueuedCreate,
  QueuedUpdate,
  Refusal,
} from './items.js';
export type { OutboxOptions } from './options.js';
export { Outbox, type Photograph } from './outbox.js';
export type { Sending } from './send.js';
export { indexedDbStore, memoryStore, type OutboxStore } from './store.js';

/** Opens the queue of an account. */
export const createOutbox = (client: Client, options: OutboxOptions): Outbox =>
  new Outbox(client, options);
