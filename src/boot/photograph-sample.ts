/**
 * Whether photographs are there, by a few of them: after a restore without its files everything answers, and no
 * photograph is given. It notices at once that all are gone, nearly always that half are, and hardly ever that one is: the
 * files of all are compared by `npm run check`.
 */
import type { Soon } from '../core/soon';
import { originalName, renditionName } from '../plugins/assets/server/assets';
import type { Storage } from '../plugins/assets/server/storage/storage';
import type { Database } from '../plugins/objects/server/database/database';
import { raw, sql, type Sql } from '../plugins/objects/server/database/sql';
import type { Row } from '../plugins/objects/server/database/work';
import type { Check } from '../plugins/wire/server/health';

/** Photographs that are looked for, with an original and a rendition each. */
const SAMPLE = 8;

/** Milliseconds for which an answer is held. */
const HOLDS = 60_000;

interface Parts {
  readonly database: Pick<Database, 'read'>;
  readonly storage: Pick<Storage, 'size'>;
  /** Milliseconds since some moment. */
  readonly clock: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
}

/**
 * A check that answers what the last look has found. Only the first one is waited for. What was missing once is looked for
 * again until it is there, or its row is not.
 */
export function createPhotographSample({ database, storage, clock, random }: Parts): Check {
  let missing: readonly number[] = [];
  let first: Promise<void> | null = null;
  let isLooking = false;
  let until = Number.NEGATIVE_INFINITY;

  const rows = (condition: Sql, most: number): Soon<readonly Row[]> =>
    database.read(
      sql`select a.id, a.file_key, a.size, a.thumbnail_size from assets a
        where a.file_key is not null and ${condition} order by a.id limit ${raw(String(most))}`,
    );
  const isThere = async ([, key, size, thumbnail]: Row): Promise<boolean> => {
    const files = String(key);
    const sizes = [
      [originalName(files), size],
      [renditionName(files, 'thumbnail'), thumbnail],
    ] as const;
    for (const [name, bytes] of sizes)
      if ((await storage.size(name)) !== Number(bytes)) return false;
    return true;
  };
  const among = (ids: readonly number[]): Sql =>
    raw(`a.id in (${ids.length > 0 ? ids.join() : 'null'})`);

  const look = async (): Promise<void> => {
    const [[last = null] = []] = await database.read(sql`select max(id) from assets`);
    const known = await rows(among(missing), SAMPLE);
    const some: Row[] = [...known];
    for (let at = known.length; last !== null && at < SAMPLE; at += 1) {
      // The newest one, and others by chance.
      const from = at === 0 ? Number(last) : Math.floor(random() * Number(last)) + 1;
      some.push(...(await rows(sql`a.id >= ${from}`, 1)));
    }
    const absent: number[] = [];
    for (const row of some) if (!(await isThere(row))) absent.push(Number(row[0]));
    // One may have been deleted meanwhile.
    const still = absent.length === 0 ? [] : await rows(among(absent), SAMPLE);
    missing = still.map(([id]) => Number(id));
  };
  const looking = async (): Promise<void> => {
    isLooking = true;
    until = clock() + HOLDS;
    try {
      await look();
    } catch {
      // A database or a storage that does not answer is told by the checks of these.
    } finally {
      isLooking = false;
    }
  };
  return async () => {
    if (!isLooking && clock() >= until) {
      const now = looking();
      first ??= now;
    }
    await first;
    return missing.length === 0;
  };
}
