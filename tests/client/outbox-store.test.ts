import 'fake-indexeddb/auto';
import {
  createOutbox,
  indexedDbStore,
  memoryStore,
  type Item,
  type OutboxStore,
} from '@oms/client/outbox';
import { createClient } from '@oms/client';
import { randomUUID } from 'node:crypto';

/** The stores of a queue: the browser's, here by an implementation of IndexedDB in memory, and that of a process. */
const item = (key: string, behavior = 'eating'): Item => ({
  op: 'update',
  type: 'encounter',
  id: key,
  key,
  order: 1,
  photographs: [],
  refusal: null,
  changes: { behavior },
  base: { version: 1, values: {} },
  tried: {},
  conflict: null,
});

describe.each([
  ['IndexedDB', () => indexedDbStore(randomUUID())],
  ['memory', memoryStore],
] as const)('%s', (_, open) => {
  let store: OutboxStore;
  beforeEach(() => {
    store = open();
  });

  test('keeps entries, changes and removes them', async () => {
    await store.put([
      ['a', item('a')],
      ['b', item('b')],
      ['c', item('c')],
    ]);
    await store.update('a', (before) => before && item('a', 'drinking'));
    await store.update('b', () => undefined);
    await store.update('d', (before) => (before === undefined ? item('d') : undefined));
    await store.remove(['c', 'unknown']);
    const all = [...(await store.all())].sort((one, other) => one.id.localeCompare(other.id));
    expect(all).toEqual([item('a', 'drinking'), item('d')]);
    await store.clear();
    expect(await store.all()).toEqual([]);
  });

  test('loses no change of many at once', async () => {
    await store.put([['a', item('a', '')]]);
    const add = (letter: string): Promise<void> =>
      store.update('a', (before) =>
        before?.op === 'update'
          ? item('a', `${String(before.changes['behavior'])}${letter}`)
          : before,
      );
    await Promise.all([...'abcdefgh'].map(add));
    const [after] = await store.all();
    const written = after?.op === 'update' ? String(after.changes['behavior']) : '';
    expect([...written].sort().join('')).toBe('abcdefgh');
  });
});

test('each account has a queue of its own, which a later page finds again', async () => {
  const client = createClient({ baseUrl: 'https://oms.example.org' });
  const [ana, ben] = [randomUUID(), randomUUID()];
  const file = new Blob(['a photograph']);
  const id = await createOutbox(client, { account: ana }).create('encounter', {}, [{ file }]);
  expect(await createOutbox(client, { account: ben }).items()).toEqual([]);
  expect(await createOutbox(client, { account: null }).items()).toEqual([]);
  expect(await createOutbox(client, { account: ana }).items()).toMatchObject([{ id }]);
});
