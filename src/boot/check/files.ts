/** The files of photographs: those that rows name, and those that no row names. */
import { createHash } from 'node:crypto';
import { originalName, renditionName } from '../../plugins/assets/server/assets';
import type { Reader } from '../../plugins/assets/server/storage/storage';
import type { Dialect } from '../../plugins/objects/server/database/database';
import { amongRows } from '../../plugins/objects/server/database/row-ids';
import { join, raw, sql, type SqlValue } from '../../plugins/objects/server/database/sql';
import { ask, type Row, type Work } from '../../plugins/objects/server/database/work';
import { RENDITION_NAMES } from '../../plugins/objects/server/kinds/renditions';
import type { DatabaseBeside } from '../beside';
import { contentOf } from '../backup/stored-files';
import type { FaultFound, CheckKind, Probe } from './probe';
import { carriedOut, inSlices } from './reading';

/** Photographs of one statement, and files that are looked for at once. */
const SLICE = 500;
const AT_ONCE = 32;

/** Names of files that are held in memory. */
const HELD = 200_000;

/** The name that the files of a photograph have in common, and what is behind it. */
const OURS = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:-[a-z]+\.webp)?$/;

export interface FileRepair {
  /** Makes the renditions of a photograph anew. */
  readonly renditions: (row: SqlValue, files: string, size: number) => Promise<void>;
  /** Hands files without a row to the sweep of the service, which removes them when they are an hour old. */
  readonly orphans: (files: readonly string[]) => Promise<void>;
}

interface Parts {
  readonly beside: DatabaseBeside;
  readonly dialect: Dialect;
  readonly reader: Pick<Reader, 'read' | 'size' | 'names'>;
  readonly repair: FileRepair | null;
}

/** @param byHash whether each original is read, and compared by its SHA-256 */
export function fileProbes(parts: Parts, byHash: boolean): Probe[] {
  const { reader } = parts;
  const isWhole = async (name: string, size: number): Promise<boolean> =>
    (await reader.size(name)) === size;
  return [
    photographs(parts, 'files', async ({ files, size }) => isWhole(originalName(files), size)),
    photographs(parts, 'renditions', async ({ files, renditions }) => {
      for (const [at, name] of RENDITION_NAMES.entries()) {
        const size = renditions[at] ?? null;
        if (size === null || !(await isWhole(renditionName(files, name), size))) return false;
      }
      return true;
    }),
    ...(byHash ? [photographs(parts, 'damaged files', (one) => hasItsBytes(reader, one))] : []),
    orphans(parts),
  ];
}

/** A stored photograph. */
interface Photograph {
  readonly row: SqlValue;
  readonly id: string;
  readonly files: string;
  readonly size: number;
  readonly sha256: string;
  readonly renditions: readonly (number | null)[];
}

function* read(ids: readonly SqlValue[], dialect: Dialect): Work<Photograph[]> {
  const sizes = RENDITION_NAMES.map((name) => raw(`a.${name}_size`));
  const rows = yield* ask(
    sql`select a.id, a.document_id, a.file_key, a.size, a.sha_256, ${join(sizes)} from assets a
      where a.id ${amongRows(ids, dialect)} and a.file_key is not null order by a.id`,
  );
  return rows.map(([row = null, id, files, size, sha256, ...renditions]: Row): Photograph => ({
    row,
    id: String(id),
    files: String(files),
    size: Number(size),
    sha256: String(sha256),
    renditions: renditions.map((one) => (one === null ? null : Number(one))),
  }));
}

/** Those of which something does not hold, in their order; a few are looked at at once. */
async function failing(
  all: readonly Photograph[],
  holds: (one: Photograph) => Promise<boolean>,
): Promise<Photograph[]> {
  const found: Photograph[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const some = all.slice(at, at + AT_ONCE);
    const held = await Promise.all(some.map(holds));
    found.push(...some.filter((_, place) => !held[place]));
  }
  return found;
}

function photographs(
  { beside, dialect, repair }: Parts,
  kind: CheckKind,
  holds: (one: Photograph) => Promise<boolean>,
): Probe {
  const toldOf = (some: readonly Photograph[]): FaultFound[] =>
    some.map(({ row, id, files }) => ({ key: row, name: `asset ${id} (${files})` }));
  const mended = new Map<CheckKind, typeof repair>([['renditions', repair]]).get(kind);
  const again = async (found: readonly FaultFound[]): Promise<Photograph[]> => {
    const ids = found.map(({ key }) => key);
    return failing(await carriedOut(beside, () => read(ids, dialect)), holds);
  };
  return {
    kind,
    async *find() {
      for await (const all of inSlices(beside, 'assets', SLICE, (ids) =>
        ids.length === 0 ? nothing() : read(ids, dialect),
      ))
        yield toldOf(await failing(all, holds));
    },
    again: async (found) => toldOf(await again(found)),
    ...(mended
      ? {
          async repair(found: readonly FaultFound[]) {
            for (const { row, files, size } of await again(found))
              await mended.renditions(row, files, size);
          },
        }
      : {}),
  };
}

function* nothing(): Work<Photograph[]> {
  yield* [];
  return [];
}

/** One that is missing or has another size is told as such. */
async function hasItsBytes(
  reader: Parts['reader'],
  { files, size, sha256 }: Photograph,
): Promise<boolean> {
  const name = originalName(files);
  if ((await reader.size(name)) !== size) return true;
  const content = await contentOf(reader, { name, size });
  if (!content) return true;
  const hash = createHash('sha256');
  for await (const chunk of content) hash.update(chunk);
  return hash.digest('hex') === sha256;
}

/** The files that no row names, and that are not on their way: in several passes, each for a part of the names. */
function orphans({ beside, dialect, reader, repair }: Parts): Probe {
  async function* find(): AsyncGenerator<FaultFound[]> {
    const [[count] = []] = await beside.read(sql`select count(*) from assets`);
    const passes = Math.min(256, Math.ceil((Number(count) + 1) / HELD));
    for (let pass = 0; pass < passes; pass += 1) {
      const isNow = (files: string): boolean =>
        (Number.parseInt(files.slice(0, 2), 16) || 0) % passes === pass;
      const known = await namedFiles(beside, dialect, isNow);
      let found: FaultFound[] = [];
      for await (const name of reader.names()) {
        if (name.startsWith('.') || known.has(name)) continue;
        const [, files] = OURS.exec(name) ?? [];
        if (!isNow(files ?? name) || known.has(files ?? name)) continue;
        found.push({ key: name, name });
        if (found.length < SLICE) continue;
        yield found;
        found = [];
      }
      yield found;
    }
  }
  const again = async (found: readonly FaultFound[]): Promise<FaultFound[]> => {
    const files = found.map(({ key }) => filesIn(String(key)));
    const list = dialect.jsonItems(sql`${JSON.stringify(files)}`);
    const rows = await beside.read(
      sql`select a.file_key from assets a where a.file_key in (select j.value from ${list})
        union all select f.files from oms_asset_files f where f.files in (select j.value from ${list})`,
    );
    const known = new Set(rows.map(([one]) => String(one)));
    const still: FaultFound[] = [];
    for (const one of found) {
      const name = String(one.key);
      if (!known.has(filesIn(name)) && (await reader.size(name)) !== null) still.push(one);
    }
    return still;
  };
  return {
    kind: 'orphaned files',
    find,
    again,
    ...(repair
      ? {
          repair: (found: readonly FaultFound[]) =>
            repair.orphans([
              ...new Set(
                found.flatMap(({ key }) => (OURS.test(String(key)) ? filesIn(String(key)) : [])),
              ),
            ]),
        }
      : {}),
  };
}

const filesIn = (name: string): string => OURS.exec(name)?.[1] ?? name;

async function namedFiles(
  beside: DatabaseBeside,
  dialect: Dialect,
  isNow: (files: string) => boolean,
): Promise<Set<string>> {
  const known = new Set<string>();
  for await (const all of inSlices(beside, 'assets', SLICE, (ids) =>
    ids.length === 0 ? nothing() : read(ids, dialect),
  ))
    for (const { files } of all) if (isNow(files)) known.add(files);
  return known;
}
