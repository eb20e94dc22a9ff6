import { sqliteDriver, type SqliteHandle } from '../../../objects/server/database/sqlite-driver';
import type { Origin } from '../package/fault';
import { Organisms } from '../package/organisms';
import { taxonKeyOf, type PackageTaxon } from '../package/named-taxon';
import type { Fact } from './facts';
import type { ArchiveMedium } from './media';
import type { Occurrence } from './occurrence';

/** Kibibytes of the staging tables that are kept in memory; the rest is in a temporary file. */
const CACHE = 32_768;

/** The maximum number of photographs of an encounter. */
const MAX_PHOTOGRAPHS = 100;

/** The fraction of a dataset whose positions are swapped, above which all are taken for swapped. */
const MOST = 0.9;

/** Occurrences per query, where others are written meanwhile. */
const PAGE = 500;

const TABLES = `
  CREATE TABLE occurrence (
    source TEXT NOT NULL, id TEXT NOT NULL, core_id TEXT, file TEXT NOT NULL, line INTEGER NOT NULL, data TEXT
  );
  CREATE TABLE event (id TEXT PRIMARY KEY, line INTEGER NOT NULL, file TEXT NOT NULL, cells TEXT NOT NULL);
  CREATE TABLE extension (
    key TEXT NOT NULL, kind TEXT NOT NULL, file TEXT NOT NULL, line INTEGER NOT NULL, data TEXT NOT NULL
  );
  CREATE TABLE photograph (path TEXT PRIMARY KEY, asset TEXT)`;

const IS_REPEATED = `EXISTS (SELECT 1 FROM occurrence e
    WHERE e.source = o.source AND e.id = o.id AND e.rowid < o.rowid)`;

/** Rows of extensions of no occurrence. */
const IS_ORPHAN = `NOT EXISTS (SELECT 1 FROM occurrence o WHERE o.id = x.key)
  AND NOT EXISTS (SELECT 1 FROM occurrence o WHERE o.core_id = x.key)`;

/** The kinds of rows of extensions that an occurrence has; most have none, which is told soonest. */
const KINDS = `CASE WHEN EXISTS (SELECT 1 FROM extension x WHERE x.key = o.id) OR o.core_id IS NOT NULL
  THEN (SELECT group_concat(DISTINCT x.kind) FROM extension x WHERE x.key IN (o.id, o.core_id)) END`;

/** Whether an occurrence has rows of an extension. */
const has = (kind: ExtensionKind): string =>
  `EXISTS (SELECT 1 FROM extension x WHERE x.key IN (o.id, o.core_id) AND x.kind = '${kind}')`;

const STAGED = `SELECT rowid, *, ${KINDS} AS kinds FROM occurrence o WHERE data IS NOT NULL`;

interface StoredRow {
  readonly rowid: number;
  readonly source: string;
  readonly id: string;
  readonly core_id: string | null;
  readonly file: string;
  readonly line: number;
  readonly data: string;
  readonly kinds: string | null;
}

/** A staged occurrence: its taxon is a key of `taxa`, and its media and facts have their own tables. */
export type StagedOccurrence = Pick<
  Occurrence,
  'source' | 'id' | 'coreId' | 'body' | 'facts' | 'organism' | 'origin' | 'verbatim' | 'place'
> & {
  readonly taxon: string | null;
  /** The kinds of rows of extensions that it has. */
  readonly kinds: ReadonlySet<string>;
};

/** The kinds of rows of extensions that are read. */
export type ExtensionKind = 'fact' | 'medium' | 'address' | 'rest';

/** The cells of a row of an extension that have no field, by column. */
export interface Rest {
  readonly file: string;
  readonly table: string; // its row type, without the namespace
  readonly cells: Readonly<Record<string, string>>;
  /** The columns that are kept nowhere else. */
  readonly columns: readonly string[];
}

/**
 * Stages the rows of an archive until all have been read, because extensions are in other files than the occurrences.
 * The staging is an SQLite database in an unnamed temporary file, so that memory does not depend on the number of rows,
 * and nothing is left behind even if the process is killed.
 */
export class ArchiveStaging {
  private readonly database: SqliteHandle;
  private readonly insert;
  private readonly insertExtension;
  private readonly insertPhotograph;
  private readonly select;
  private readonly insertEvent;
  private readonly selectEvent;
  private readonly described = new Map<string, PackageTaxon>();
  /** How many occurrences lie in their country, and how many would with swapped coordinates, by source. */
  private readonly places = new Map<string, { there: number; swapped: number }>();
  readonly organisms = new Organisms();

  constructor() {
    this.database = new (sqliteDriver())('');
    this.database.pragma(`cache_size = -${CACHE}`);
    this.database.pragma('journal_mode = OFF');
    this.database.exec(TABLES);
    this.insert = this.database.prepare('INSERT INTO occurrence VALUES (?, ?, ?, ?, ?, ?)');
    this.insertEvent = this.database.prepare('INSERT OR IGNORE INTO event VALUES (?, ?, ?, ?)');
    this.selectEvent = this.database.prepare<
      [string],
      { line: number; file: string; cells: string }
    >('SELECT line, file, cells FROM event WHERE id = ?');
    this.insertExtension = this.database.prepare('INSERT INTO extension VALUES (?, ?, ?, ?, ?)');
    this.insertPhotograph = this.database.prepare(
      'INSERT OR IGNORE INTO photograph VALUES (?, NULL)',
    );
    this.select = this.database.prepare<unknown[], { data: string }>(
      'SELECT data FROM extension WHERE key IN (?, ?) AND kind = ? ORDER BY rowid LIMIT ?',
    );
    this.database.exec('BEGIN');
  }

  add(occurrence: Occurrence): void {
    const { source, id, coreId, body, facts, organism, origin, taxon, verbatim, place } =
      occurrence;
    const key = taxon === null ? null : taxonKeyOf(taxon);
    if (taxon !== null && key !== null) this.describe(key, taxon);
    if (organism !== null)
      this.organisms.add(source, organism, key, { ...origin, field: organism.column });
    if (place !== null) this.countPlace(source, place);
    const data = JSON.stringify({ body, facts, organism, taxon: key, verbatim, place });
    this.insert.run(source, id, coreId, origin.file, origin.line, data);
  }

  /** @returns false for an event whose ID an earlier one has */
  addEvent(id: string, { file, line }: Origin, cells: readonly string[]): boolean {
    return this.insertEvent.run(id, line, file, JSON.stringify(cells)).changes > 0;
  }

  event(id: string): (Origin & { readonly cells: readonly string[] }) | null {
    const found = this.selectEvent.get(id);
    return found ? { ...found, cells: JSON.parse(found.cells) as string[] } : null;
  }

  /** Whether of the positions of a dataset with a known country nine in ten lie there only when they are swapped. */
  isSwapped(source: string): boolean {
    const { there = 0, swapped = 0 } = this.places.get(source) ?? {};
    return swapped > 0 && swapped >= MOST * (there + swapped);
  }

  /** An address of a photograph that is not in the archive. */
  addAddress(key: string, address: string, origin: Origin): void {
    this.addRow(key, 'address', { address }, origin);
  }

  /** An occurrence that is left out: rows of extensions may belong to it. */
  leaveOut(source: string, id: string, coreId: string | null, { file, line }: Origin): void {
    this.insert.run(source, id, coreId, file, line, null);
  }

  /** @param key the ID of the occurrence, or of its row */
  addFact(key: string, fact: Fact, origin: Origin): void {
    this.addRow(key, 'fact', fact, origin);
  }

  addMedium(key: string, medium: ArchiveMedium, origin: Origin): void {
    this.insertPhotograph.run(medium.path);
    this.addRow(key, 'medium', medium, origin);
  }

  addRest(key: string, rest: Rest, origin: Origin): void {
    this.addRow(key, 'rest', rest, origin);
  }

  /** Ends the staging: reports repeated occurrences, which are left out, and rows of extensions of no occurrence. */
  finish(onRepeated: (id: string, origin: Origin) => void, onOrphan: OnOrphan): void {
    this.database.exec(
      `CREATE INDEX by_id ON occurrence (source, id);
       CREATE INDEX by_own_id ON occurrence (id);
       CREATE INDEX by_core_id ON occurrence (core_id) WHERE core_id IS NOT NULL;
       CREATE INDEX by_key ON extension (key, kind)`,
    );
    const repeated = this.database.prepare<[], StoredRow>(
      `${STAGED} AND ${IS_REPEATED} ORDER BY rowid`,
    );
    for (const { id, file, line } of repeated.iterate()) onRepeated(id, { file, line });
    this.database.exec(`UPDATE occurrence AS o SET data = NULL WHERE ${IS_REPEATED}`);
    const orphans = this.database.prepare<[], { key: string; file: string; line: number }>(
      `SELECT key, file, line FROM extension x WHERE ${IS_ORPHAN} GROUP BY file, line ORDER BY min(rowid)`,
    );
    for (const { key, file, line } of orphans.iterate()) onOrphan(key, { file, line });
  }

  get taxa(): readonly PackageTaxon[] {
    return [...this.described.values()];
  }

  get count(): number {
    return this.number('SELECT count(*) AS n FROM occurrence WHERE data IS NOT NULL');
  }

  get photographs(): number {
    return this.number('SELECT count(*) AS n FROM photograph');
  }

  /** In the order of their IDs, so that inserts into indexes that begin with the ID are sequential. */
  *occurrences(): Generator<StagedOccurrence> {
    const rows = this.database.prepare<[], StoredRow>(`${STAGED} ORDER BY source, id`);
    for (const row of rows.iterate()) yield parse(row);
  }

  /** The facts of the extension. @param limit their maximum number */
  factsOf(occurrence: StagedOccurrence, limit: number): readonly Fact[] {
    return occurrence.kinds.has('fact') ? this.rowsOf<Fact>(occurrence, 'fact', limit) : [];
  }

  addressesOf(occurrence: StagedOccurrence): readonly string[] {
    if (!occurrence.kinds.has('address')) return [];
    const rows = this.rowsOf<{ address: string }>(occurrence, 'address', MAX_PHOTOGRAPHS);
    return [...new Set(rows.map(({ address }) => address))];
  }

  /** @param limit the maximum number of rows */
  restsOf(occurrence: StagedOccurrence, limit: number): readonly Rest[] {
    return occurrence.kinds.has('rest') ? this.rowsOf<Rest>(occurrence, 'rest', limit) : [];
  }

  /** The occurrences that have photographs, in the order of the file. */
  *photographed(): Generator<StagedOccurrence> {
    const page = this.database.prepare<[number], StoredRow>(
      `${STAGED} AND rowid > ? AND ${has('medium')} ORDER BY rowid LIMIT ${PAGE}`,
    );
    let rows = page.all(0);
    while (rows.length > 0) {
      for (const row of rows) yield parse(row);
      rows = page.all(rows.at(-1)?.rowid ?? 0);
    }
  }

  /** Each file once. */
  mediaOf(occurrence: StagedOccurrence): readonly ArchiveMedium[] {
    const media = this.rowsOf<ArchiveMedium>(occurrence, 'medium', MAX_PHOTOGRAPHS);
    return [...new Map(media.map((medium) => [medium.path, medium])).values()];
  }

  assetOf(path: string): string | null {
    const find = this.database.prepare<[string], { asset: string | null }>(
      'SELECT asset FROM photograph WHERE path = ?',
    );
    return find.get(path)?.asset ?? null;
  }

  keepAsset(path: string, asset: string): void {
    this.database.prepare('UPDATE photograph SET asset = ? WHERE path = ?').run(asset, path);
  }

  close(): void {
    this.database.close();
  }

  /** The first row that names a taxon describes it; others add what it lacks. */
  private describe(key: string, taxon: PackageTaxon): void {
    const known = this.described.get(key);
    const { vernacularNames: names, authorship } = taxon;
    const isNew = (language: string): boolean => !(language in (known?.vernacularNames ?? {}));
    if (!known) this.described.set(key, taxon);
    else if ((authorship !== null && known.authorship === null) || Object.keys(names).some(isNew))
      this.described.set(key, {
        ...known,
        authorship: known.authorship ?? authorship,
        vernacularNames: { ...known.vernacularNames, ...names, ...known.vernacularNames },
      });
  }

  private countPlace(source: string, place: 'there' | 'swapped'): void {
    const counts = this.places.get(source) ?? { there: 0, swapped: 0 };
    counts[place] += 1;
    this.places.set(source, counts);
  }

  private addRow(key: string, kind: ExtensionKind, value: object, { file, line }: Origin): void {
    this.insertExtension.run(key, kind, file, line, JSON.stringify(value));
  }

  private rowsOf<T>({ id, coreId }: StagedOccurrence, kind: ExtensionKind, limit: number): T[] {
    return this.select.all(id, coreId, kind, limit).map(({ data }) => JSON.parse(data) as T);
  }

  private number(query: string): number {
    return this.database.prepare<[], { n: number }>(query).get()?.n ?? 0;
  }
}

type OnOrphan = (key: string, origin: Origin) => void;

function parse(row: StoredRow): StagedOccurrence {
  const { source, id, core_id: coreId, file, line, data, kinds } = row;
  const rest = JSON.parse(data) as Omit<
    StagedOccurrence,
    'source' | 'id' | 'coreId' | 'origin' | 'kinds'
  >;
  return { source, id, coreId, origin: { file, line }, kinds: new Set(kinds?.split(',')), ...rest };
}
