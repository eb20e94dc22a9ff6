import { clear, createStore, delMany, entries, promisifyRequest, setMany } from 'idb-keyval';
import type { Entry } from './items.js';

/** Where a queue is kept; each call is one transaction. */
export interface OutboxStore {
  all(): Promise<readonly Entry[]>;
  put(entries: readonly (readonly [key: string, entry: Entry])[]): Promise<void>;
  /** Changes one entry, which nobody else changes meanwhile. @param change gives undefined to remove it */
  update(key: string, change: (before: Entry | undefined) => Entry | undefined): Promise<void>;
  remove(keys: readonly string[]): Promise<void>;
  clear(): Promise<void>;
}

/** A queue in the browser's IndexedDB, which all tabs of the page share. @param name of its database */
export function indexedDbStore(name: string): OutboxStore {
  const store = createStore(name, 'entries');
  return {
    all: async () => (await entries<string, Entry>(store)).map(([, entry]) => entry),
    put: (given) =>
      setMany(
        given.map(([key, entry]) => [key, entry]),
        store,
      ),
    update: (key, change) =>
      store('readwrite', (objects) => {
        const found = objects.get(key) as IDBRequest<Entry | undefined>;
        found.onsuccess = () => {
          const after = change(found.result);
          if (after === undefined) objects.delete(key);
          else objects.put(after, key);
        };
        return promisifyRequest(objects.transaction);
      }),
    remove: (keys) => delMany([...keys], store),
    clear: () => clear(store),
  };
}

/** A queue that ends with the process. */
export function memoryStore(): OutboxStore {
  const kept = new Map<string, Entry>();
  return {
    all: () => Promise.resolve([...kept.values()]),
    put: (given) => {
      for (const [key, entry] of given) kept.set(key, entry);
      return Promise.resolve();
    },
    update: (key, change) => {
      const after = change(kept.get(key));
      if (after === undefined) kept.delete(key);
      else kept.set(key, after);
      return Promise.resolve();
    },
    remove: (keys) => {
      for (const key of keys) kept.delete(key);
      return Promise.resolve();
    },
    clear: () => Promise.resolve(kept.clear()),
  };
}
