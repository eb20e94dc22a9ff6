import { setImmediate } from 'node:timers/promises';
import { importer } from '../../../../core/caller';
import type { Database } from '../database/database';
import type { WriteContext } from './context';
import { Gatherer } from './gather';

/** A gatherer on a shared database whose transactions end when the test says so. */
function gathering() {
  const sizes: number[] = [];
  const ends: (() => void)[] = [];
  let count = 0;
  const contextOf = (): WriteContext => {
    count += 1;
    return {} as WriteContext;
  };
  const write = (work: () => Generator): Promise<readonly unknown[]> => {
    count = 0;
    // There is no model, so that it goes no further than to the contexts of its changes.
    expect(() => work().next()).toThrow(TypeError);
    const size = count;
    sizes.push(size);
    const outcomes = Array.from({ length: size }, () => ({
      ok: true,
      value: { id: '', version: 1 },
    }));
    return new Promise((resolve) => ends.push(() => resolve(outcomes)));
  };
  const database = { isShared: true, isInTransaction: false, write } as unknown as Database;
  const gatherer = new Gatherer(
    database,
    contextOf,
    () => null,
    () => Promise.reject(new Error('alone')),
  );
  let written = 0;
  const change = { op: 'create', type: 'encounter', body: {} } as const;
  return {
    sizes,
    written: () => written,
    send: async (changes: number): Promise<void> => {
      for (let at = 0; at < changes; at += 1)
        void gatherer.write({ change, caller: importer('test') }).then(() => (written += 1));
      await settled();
    },
    /** Ends the transaction at this place. */
    end: async (at: number): Promise<void> => {
      ends[at]?.();
      await settled();
    },
  };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
}

test('changes that arrive together share a transaction, and as many share a second one', async () => {
  const { send, sizes } = gathering();
  await send(3);
  await send(3);
  await send(9);
  expect(sizes).toEqual([3, 3]);
});

test('fewer than are under way wait for the next transaction', async () => {
  const { send, sizes, end, written } = gathering();
  await send(5);
  await send(2);
  expect(sizes).toEqual([5]);
  await end(0);
  expect([sizes, written()]).toEqual([[5, 2], 5]);
  await end(1);
  expect(written()).toBe(7);
});

test('nothing is left behind when the first of two transactions ends', async () => {
  const { send, sizes, end, written } = gathering();
  await send(2);
  await send(4);
  await send(3);
  await end(0);
  // Three wait for the four.
  expect(sizes).toEqual([2, 4]);
  await end(1);
  expect(sizes).toEqual([2, 4, 3]);
  await end(2);
  expect(written()).toBe(9);
});
