/**
 * A cache of small renditions that were requested recently: a page of a frontend requests dozens of them, and reading
 * each from a disk or a bucket would take most of the time of the answer. The content under a name never changes.
 */
import { buffer } from 'node:stream/consumers';
import type { Reader } from './storage';

/** The maximum size in bytes, of one file and in total. */
const MAX_FILE = 128 * 1024;
const MAX_TOGETHER = 32 * 1024 * 1024;

export function withCache(reader: Reader): Reader {
  /** The first entry is the least recently used. */
  const kept = new Map<string, Buffer>();
  let together = 0;
  const keep = (name: string, bytes: Buffer): void => {
    if (kept.has(name)) return;
    kept.set(name, bytes);
    together += bytes.length;
    for (const [oldest, { length }] of kept) {
      if (together <= MAX_TOGETHER) return;
      kept.delete(oldest);
      together -= length;
    }
  };
  return {
    settle: (name) => reader.settle(name),
    size: (name) => reader.size(name),
    names: () => reader.names(),
    answers: () => reader.answers(),
    async read(name, range, size) {
      const isAll = range.start === 0 && range.end === size - 1;
      if (!isAll || size > MAX_FILE || !name.endsWith('.webp'))
        return reader.read(name, range, size);
      const known = kept.get(name);
      if (known) {
        kept.delete(name);
        kept.set(name, known);
        return known;
      }
      const found = await reader.read(name, range, size);
      if (!found) return null;
      const bytes = Buffer.isBuffer(found) ? found : await buffer(found);
      keep(name, bytes);
      return bytes;
    },
  };
}
