import type { Client } from '../client.js';
import { failureOf, isFailure, isMadeBefore, type Failure } from '../failure.js';
import { persistently, type RetryOptions } from '../retry.js';
import {
  MAX_ROUNDS,
  replaced,
  stopsAll,
  type Conflict,
  type Item,
  type QueuedCreate,
  type QueuedUpdate,
  type Refusal,
  type Values,
} from './items.js';
import { afterSending, pick, rebased, tryOf } from './merge.js';
import { assetsOf, PhotographRefused, Photographs } from './photographs.js';
import type { OutboxStore } from './store.js';

/** What became of an item; `stopped` is a failure that concerns all of them, such as a lost connection. */
export type Delivery =
  | { readonly is: 'sent' }
  | { readonly is: 'refused'; readonly refusal: Refusal }
  | { readonly is: 'in conflict'; readonly conflict: Conflict }
  | { readonly is: 'stopped'; readonly failure: Failure };

const SENT: Delivery = { is: 'sent' };

/** Sends items of a queue, and takes out of its store what was sent. */
export class Deliverer {
  private readonly photographs: Photographs;

  constructor(
    private readonly client: Client,
    private readonly store: OutboxStore,
    private readonly retry: RetryOptions,
    /** Told of each object that the service has, before the queue forgets it. */
    private readonly onCreated: (item: QueuedCreate) => void,
  ) {
    this.photographs = new Photographs(client, store, retry);
  }

  async deliver(item: Item): Promise<Delivery> {
    try {
      return await (item.op === 'create' ? this.create(item) : this.update(item.key));
    } catch (error) {
      const isOfPhotograph = error instanceof PhotographRefused;
      const failure = isOfPhotograph ? error.failure : error;
      // Such as a store that takes no more.
      if (!isFailure(failure)) throw failure;
      if (stopsAll(failure)) return { is: 'stopped', failure };
      const { key, args, faults } = failure;
      const photograph = isOfPhotograph ? error.id : null;
      return { is: 'refused', refusal: { key, args, faults, photograph } };
    }
  }

  /** Takes out photographs that a page left when it was closed after sending them. */
  sweep(): Promise<void> {
    return this.photographs.sweep();
  }

  private async create(item: QueuedCreate): Promise<Delivery> {
    const { id, claim, type } = item;
    await this.photographs.sendWith(item.photographs, item.body, async (body, sent) => {
      const claims = { claim, claims: sent.map((one) => one.claim) };
      const whole = { ...body, id, ...(claim === null ? {} : claims) };
      await this.persistently(() =>
        this.client.answerTo(
          this.client.http.POST(`/api/v0/${type}` as '/api/v0/encounter', {
            body: whole as never,
            signal: this.retry.signal,
          }),
        ),
      ).catch((error: unknown) => {
        if (!isMadeBefore(error, id)) throw error;
      });
    });
    this.onCreated(item);
    await this.photographs.finish(item.photographs, item.key);
    return SENT;
  }

  /** Sends an update, and what was added to it meanwhile; on top of what others have changed, as far as that goes together. */
  private async update(key: string): Promise<Delivery> {
    for (let round = 1; ; round += 1) {
      const item = await this.kept(key);
      if (!item) return SENT;
      try {
        await this.put(item);
      } catch (error) {
        const failure = failureOf(error);
        if (failure.key !== 'API_RESPONSE_VERSION_MISMATCH' || round >= MAX_ROUNDS) throw failure;
        const conflict = await this.rebase(item);
        if (conflict) return { is: 'in conflict', conflict };
      }
    }
  }

  private async put(item: QueuedUpdate): Promise<void> {
    const { key, type, id, base } = item;
    const params = { path: { id }, header: { 'If-Match': `"${base.version}"` } };
    await this.photographs.sendWith(item.photographs, item.changes, async (changes) => {
      await this.change(key, (before) => tryOf(before, changes));
      const { response } = await this.persistently(() =>
        this.client.answerTo(
          this.client.http.PUT(`/api/v0/${type}/{id}` as '/api/v0/encounter/{id}', {
            params,
            body: changes as never,
            signal: this.retry.signal,
          }),
        ),
      );
      await this.change(key, (before) => afterSending(before, item, response.version));
    });
    await this.photographs.finish(item.photographs);
  }

  /** Puts an update on top of what the object is now. @returns what does not go together */
  private async rebase({ key, type, id, photographs }: QueuedUpdate): Promise<Conflict | null> {
    const { response } = await this.persistently(() =>
      this.client.answerTo(
        this.client.http.GET(`/api/v0/${type}/{id}` as '/api/v0/encounter/{id}', {
          params: { path: { id } },
          signal: this.retry.signal,
        }),
      ),
    );
    const now = response as unknown as Values & { readonly version: number };
    const assets = assetsOf(await this.photographs.named(photographs));
    let conflict: Conflict | null = null;
    let isDone = false;
    await this.change(key, (before) => {
      const { open, conflicts } = rebased(replaced(before, assets), now);
      if (conflicts.length > 0)
        conflict = { key, type, id, version: now.version, fields: conflicts };
      isDone = open.length + conflicts.length === 0;
      if (isDone || conflict !== null) return isDone ? undefined : before;
      const base = { version: now.version, values: pick(now, open) };
      return { ...before, changes: pick(before.changes, open), base, tried: {} };
    });
    if (isDone) await this.photographs.finish(photographs);
    return conflict;
  }

  private async kept(key: string): Promise<QueuedUpdate | undefined> {
    const found = (await this.store.all()).filter((entry) => entry.op === 'update');
    return found.find((entry) => entry.key === key);
  }

  private change(
    key: string,
    change: (before: QueuedUpdate) => QueuedUpdate | undefined,
  ): Promise<void> {
    return this.store.update(key, (entry) => (entry?.op === 'update' ? change(entry) : entry));
  }

  private persistently<T>(work: () => Promise<T>): Promise<T> {
    return persistently(work, this.retry);
  }
}
