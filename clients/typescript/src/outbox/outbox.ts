import type { Client } from '../client.js';
import { newClaim, newId } from '../ids.js';
import type { Creates, Updates } from '../types.js';
import {
  isItem,
  photographKey,
  type Conflict,
  type Item,
  type QueuedCreate,
  type QueuedPhotograph,
  type QueuedUpdate,
  type Values,
} from './items.js';
import { merged, pick, resolved } from './merge.js';
import type { OutboxOptions } from './options.js';
import { sendAll, type Sending } from './send.js';
import { indexedDbStore, memoryStore, type OutboxStore } from './store.js';

/** A photograph that goes with an item. */
export interface Photograph {
  readonly file: Blob;
  readonly fields?: QueuedPhotograph['fields'];
}

/** An object as it was read, or as it was created. */
type Known<Update> = { readonly id: string; readonly version?: number } & {
  readonly [Field in keyof Update]?: unknown;
};

/** The types that say whose an object is: what another account sends is refused. */
const OWNED = new Set<string>(['encounter', 'individual', 'org']);

/** Work without a network: what is created and changed is kept, and sent when that is possible. */
export class Outbox {
  private readonly store: OutboxStore;
  private readonly name: string;
  private last = 0;
  /** Where there are no locks, the sendings of this queue wait for each other. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: Client,
    private readonly options: OutboxOptions,
  ) {
    const where = client.baseUrl || globalThis.location?.origin;
    this.name = `oms:outbox:${where}:${options.account ?? 'anonymous'}`;
    this.store =
      options.store ?? (globalThis.indexedDB ? indexedDbStore(this.name) : memoryStore());
  }

  /**
   * Keeps a new object, and the photographs of an encounter, which are shown after those in `assets`.
   *
   * @returns its ID, to which other items may refer
   * @throws TypeError for anything but an encounter without an account
   */
  async create<T extends keyof Creates>(
    type: T,
    body: Omit<Creates[T], 'id' | 'claim' | 'claims'>,
    photographs: readonly Photograph[] = [],
  ): Promise<string> {
    const { account } = this.options;
    if (account === null && type !== 'encounter') throw new TypeError('it needs an account');
    const id = newId();
    const kept = photographs.map((one) => this.photograph(one));
    const owner = account !== null && OWNED.has(type) ? { owner: account } : {};
    const item: QueuedCreate = {
      ...this.queued(type, id, `create:${id}`, kept),
      op: 'create',
      body: { ...owner, ...showing(body, (body as Values)['assets'], kept) },
      claim: account === null ? newClaim() : null,
    };
    await this.store.put([...entriesOf(kept), [item.key, item]]);
    return id;
  }

  /**
   * Keeps a change of an object, together with earlier ones that were not sent.
   *
   * @param object as it was read, with its version; of one that is in the queue itself, what was created, with version 1
   * @param photographs that an encounter shows after those that it has
   * @throws TypeError for an object whose version the caller does not see, and without an account
   */
  async update<T extends keyof Updates>(
    type: T,
    object: Known<Updates[T]>,
    changes: Updates[T],
    photographs: readonly Photograph[] = [],
  ): Promise<void> {
    const { id, version } = object;
    if (this.options.account === null) throw new TypeError('it needs an account');
    if (version === undefined) throw new TypeError('an object without version cannot be changed');
    const kept = photographs.map((one) => this.photograph(one));
    const key = `update:${type}:${id}`;
    const base = object as unknown as Values;
    const given = changes as Values;
    await this.store.put(entriesOf(kept));
    await this.store.update(key, (entry) => {
      const before = entry?.op === 'update' ? entry : undefined;
      const shown = given['assets'] ?? before?.changes['assets'] ?? base['assets'];
      const all = showing(given, shown, kept);
      const added: QueuedUpdate = {
        ...this.queued(type, id, key, kept),
        op: 'update',
        changes: all,
        base: { version, values: pick(base, Object.keys(all)) },
        tried: {},
        conflict: null,
      };
      return merged(before, added);
    });
  }

  /** What is in the queue, in the order in which it came. */
  async items(): Promise<readonly Item[]> {
    return (await this.store.all()).filter(isItem).sort((one, other) => one.order - other.order);
  }

  /** Takes an item out of the queue, with its photographs; what depends on it stays. */
  async discard(key: string): Promise<void> {
    const item = (await this.items()).find((one) => one.key === key);
    if (item) await this.store.remove([key, ...item.photographs.map(photographKey)]);
  }

  /** Lets an item that was refused be sent again, with other values for some of its fields. */
  retry(key: string, values: Values = {}): Promise<void> {
    return this.change(key, (item) =>
      item.op === 'create'
        ? { ...item, body: { ...item.body, ...values }, refusal: null }
        : { ...item, changes: { ...item.changes, ...values }, refusal: null },
    );
  }

  /** Settles a conflict. @param values that its fields are to have; one that is left out stays as it is now */
  resolve(conflict: Conflict, values: Values): Promise<void> {
    return this.change(conflict.key, (item) =>
      item.op === 'update' ? resolved(item, conflict, values) : item,
    );
  }

  /**
   * Sends what is in the queue, one item after the other. Of several tabs one sends at a time (Web Locks). What is refused
   * stays, and stops only what depends on it.
   *
   * @param signal ends it; what was sent until then is sent
   */
  async send(signal?: AbortSignal): Promise<Sending> {
    const { client, store, options } = this;
    const work = (): Promise<Sending> =>
      sendAll({
        client,
        store,
        ...options,
        items: () => this.items(),
        change: (key, change) => this.change(key, change),
        resolve: (conflict, values) => this.resolve(conflict, values),
        signal,
      });
    const { locks } = globalThis.navigator ?? {};
    if (locks) return await locks.request(this.name, work);
    const sending = this.turn.then(work);
    this.turn = sending.catch(() => undefined);
    return sending;
  }

  /**
   * Logs out, after what is in the queue was sent or erased.
   *
   * @param choose asked only where something is in the queue; `stay` does not log out
   * @returns false where the user stays logged in, also since not everything could be sent
   * @throws Failure of the logout
   */
  async logOut(
    choose: (items: readonly Item[]) => Promise<'send' | 'erase' | 'stay'>,
  ): Promise<boolean> {
    const items = await this.items();
    const choice = items.length === 0 ? 'erase' : await choose(items);
    if (choice === 'stay') return false;
    if (choice === 'send' && (await this.send()).left.length > 0) return false;
    await this.client.logOut();
    await this.store.clear();
    return true;
  }

  private change(key: string, change: (item: Item) => Item | undefined): Promise<void> {
    return this.store.update(key, (entry) => (entry && isItem(entry) ? change(entry) : entry));
  }

  private queued(
    type: string,
    id: string,
    key: string,
    photographs: readonly QueuedPhotograph[],
  ): Pick<Item, 'type' | 'id' | 'key' | 'order' | 'photographs' | 'refusal'> {
    this.last = Math.max(this.last + 1, Date.now());
    const ids = photographs.map((one) => one.id);
    return { type, id, key, order: this.last, photographs: ids, refusal: null };
  }

  private photograph({ file, fields = {} }: Photograph): QueuedPhotograph {
    const { account } = this.options;
    const id = newId();
    return {
      op: 'photograph',
      ...{ id, asset: id, file, isSent: false },
      claim: account === null ? newClaim() : null,
      fields: account === null ? fields : { owner: account, ...fields },
    };
  }
}

const entriesOf = (photographs: readonly QueuedPhotograph[]): [string, QueuedPhotograph][] =>
  photographs.map((one) => [photographKey(one.id), one]);

/** A body that shows photographs after the assets that are shown already. */
const showing = (body: Values, shown: unknown, photographs: readonly QueuedPhotograph[]): Values =>
  photographs.length === 0
    ? body
    : { ...body, assets: [...((shown ?? []) as string[]), ...photographs.map(({ id }) => id)] };
