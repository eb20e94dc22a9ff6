import type { Client } from '../client.js';
import { failureOf, type Failure } from '../failure.js';
import { newClaim, newId } from '../ids.js';
import type { RetryOptions } from '../retry.js';
import { upload } from '../upload.js';
import {
  isItem,
  MAX_ROUNDS,
  photographKey,
  replaced,
  stopsAll,
  type QueuedPhotograph,
  type Values,
} from './items.js';
import type { OutboxStore } from './store.js';

/** A photograph that was refused. */
export class PhotographRefused extends Error {
  constructor(
    readonly id: string,
    readonly failure: Failure,
  ) {
    super(failure.message);
  }
}

/** Sends the photographs of items. */
export class Photographs {
  constructor(
    private readonly client: Client,
    private readonly store: OutboxStore,
    private readonly retry: RetryOptions,
  ) {}

  /**
   * Sends a body whose photographs are sent directly before it, and again under new IDs where the service has swept them
   * meanwhile: what nothing refers to is deleted after a week.
   *
   * @param ids what they are called in the body
   * @throws Failure of the body, or of the way; PhotographRefused
   */
  async sendWith(
    ids: readonly string[],
    body: Values,
    send: (body: Values, photographs: readonly QueuedPhotograph[]) => Promise<void>,
  ): Promise<void> {
    for (let round = 1; ; round += 1) {
      const sent: QueuedPhotograph[] = [];
      for (const one of await this.named(ids)) sent.push(await this.send(one));
      const whole = replaced(body, assetsOf(sent));
      try {
        return await send(whole, sent);
      } catch (error) {
        const gone = sent.filter(({ asset }) => isMissing(failureOf(error), whole, asset));
        if (gone.length === 0 || round >= MAX_ROUNDS) throw error;
        for (const { id } of gone) await this.renew(id);
      }
    }
  }

  /** Those that are kept, with the assets that they are. */
  async named(ids: readonly string[]): Promise<readonly QueuedPhotograph[]> {
    const all = (await this.store.all()).filter((entry) => entry.op === 'photograph');
    return ids.flatMap((id) => all.filter((one) => one.id === id));
  }

  /**
   * Takes out those of an item that was sent, after what else refers to them says their assets.
   *
   * @param others keys that go with them, in one transaction
   */
  async finish(ids: readonly string[], ...others: readonly string[]): Promise<void> {
    const renamed = (await this.named(ids)).filter(({ id, asset }) => id !== asset);
    if (renamed.length > 0) {
      const assets = assetsOf(renamed);
      for (const { key } of (await this.store.all()).filter(isItem))
        await this.store.update(key, (entry) => entry && replaced(entry, assets));
    }
    await this.store.remove([...others, ...ids.map(photographKey)]);
  }

  /** Takes out what was sent and belongs to no item any more. */
  async sweep(): Promise<void> {
    const entries = await this.store.all();
    const used = new Set(entries.filter(isItem).flatMap(({ photographs }) => photographs));
    const left = entries.filter(
      (entry) => entry.op === 'photograph' && entry.isSent && !used.has(entry.id),
    );
    if (left.length > 0) await this.finish(left.map(({ id }) => id));
  }

  private async send(photograph: QueuedPhotograph): Promise<QueuedPhotograph> {
    if (photograph.isSent) return photograph;
    const { id, asset, claim, file, fields } = photograph;
    const given = { ...this.retry, id: asset, fields, ...(claim === null ? {} : { claim }) };
    const uploaded = await upload(this.client, file, given).catch((error: unknown) => {
      const failure = failureOf(error);
      throw stopsAll(failure) ? failure : new PhotographRefused(id, failure);
    });
    const sent = { ...photograph, asset: uploaded.id, isSent: true };
    await this.store.update(photographKey(id), (before) => before && sent);
    return sent;
  }

  /** An ID is never used twice. */
  private renew(id: string): Promise<void> {
    return this.store.update(photographKey(id), (before) => {
      if (before?.op !== 'photograph') return before;
      const claim = before.claim === null ? null : newClaim();
      return { ...before, asset: newId(), claim, isSent: false };
    });
  }
}

/** The assets of photographs by what they are called in bodies. */
export const assetsOf = (photographs: readonly QueuedPhotograph[]): ReadonlyMap<unknown, string> =>
  new Map(photographs.map(({ id, asset }) => [id, asset]));

/** Whether a body was refused because an asset in it does not exist. */
const isMissing = ({ faults }: Failure, body: Values, asset: string): boolean =>
  faults.some(
    ({ key, path }) =>
      key === 'API_RESPONSE_NO_SUCH' &&
      path.split('.').reduce<unknown>((part, name) => (part as Values | null)?.[name], body) ===
        asset,
  );
