import { sqliteDriver, type SqliteHandle } from '../../../objects/server/database/sqlite-driver';
import type { Origin } from '../package/fault';
import { taxonKeyOf, type PackageTaxon } from '../package/taxa';
import type { Fact } from './facts';
import type { Medium } from './media';
import type { Occurrence } from './occurrence';

/** Kibibytes of the staging tables that are kept in memory; the rest is in a temporary file. */
const CACHE = 32_768;

/** The maximum number of photographs of an encounter. */
const MAX_PHOTOGRAPHS = 100;

/** Occurrences per query, where others are written meanwhile. */
const PAGE = 500;

const TABLES = `
  CREATE TABLE occurrence (
    source TEXT NOT NULL, id TEXT NOT NULL, core_id TEXT, file TEXT NOT NULL, line INTEGER NOT NULL, data TEXT
  );
  CREATE TABLE extension (
    key TEXT NOT NULL, kind TEXT NOT NULL, file TEXT NOT NULL, line INTEGER NOT NULL, data TEXT NOT NULL
  );
  CREATE TABLE photograph (path TEXT PRIMARY KEY, asset TEXT)`;

const IS_REPEATED = `EXISTS (
    SELECT 1 FROM occurrence e WHERE e.source = o.source AND e.id = o.id AND e.rowid < o.rowid
  )`;

/** Rows of extensions of no occurrence. */
const IS_ORPHAN = `NOT EXISTS (SELECT 1 FROM occurrence o WHERE o.id = x.key)
  AND NOT EXISTS (SELECT 1 FROM occurrence o WHERE o.core_id = x.key)`;

/** Whether an occurrence has rows of an extension. */
const has = (kind: ExtensionKind): string =>
  `EXISTS (SELECT 1 FROM extension x WHERE x.key IN (o.id, o.core_id) AND x.kind = '${kind}')`;

const STAGED = `SELECT rowid, *, ${has('fact')} AS has_facts FROM occurrence o WHERE data IS NOT NULL`;

interface StoredRow {
  readonly rowid: number;
  readonly source: string;
  readonly id: string;
  readonly core_id: string | null;
  readonly file: string;
  readonly line: number;
  readonly data: string;
  readonly has_facts: number;
}

/** A staged occurrence: its taxon is a key of `taxa`, and its media and facts have their own tables. */
export type StagedOccurrence = Pick<
  Occurrence,
  'source' | 'id' | 'coreId' | 'body' | 'facts' | 'organism' | 'origin'
> & {
  readonly taxon: string | null;
  /** Whether the extension has facts of it. */
  readonly hasFacts: boolean;
};

/** The kinds of rows of extensions that are read. */
export type ExtensionKind = 'fact' | 'medium';

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
  private readonly described = new Map<string, PackageTaxon>();

  constructor() {
    this.database = new (sqliteDriver())('');
    this.database.pragma(`cache_size = -${CACHE}`);
    this.database.pragma('journal_mode = OFF');
    this.database.exec(TABLES);
    this.insert = this.database.prepare('INSERT INTO occurrence VALUES (?, ?, ?, ?, ?, ?)');
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
    const { source, id, coreId, body, facts, organism, origin, taxon } = occurrence;
    const key = taxon === null ? null : taxonKeyOf(taxon);
    if (taxon !== null && key !== null && !this.described.has(key)) this.described.set(key, taxon);
    const data = JSON.stringify({ body, facts, organism, taxon: key });
    this.insert.run(source, id, coreId, origin.file, origin.line, data);
  }

  /** An occurrence that is left out: rows of extensions may belong to it. */
  leaveOut(source: string, id: string, coreId: string | null, { file, line }: Origin): void {
    this.insert.run(source, id, coreId, file, line, null);
  }

  /** @param key the ID of the occurrence, or of its row */
  addFact(key: string, fact: Fact, origin: Origin): void {
    this.addRow(key, 'fact', fact, origin);
  }

  addMedium(key: string, medium: Medium, origin: Origin): void {
    this.insertPhotograph.run(medium.path);
    this.addRow(key, 'medium', medium, origin);
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
      `SELECT key, file, line FROM extension x WHERE ${IS_ORPHAN} ORDER BY rowid`,
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
    return occurrence.hasFacts ? this.rowsOf<Fact>(occurrence, 'fact', limit) : [];
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
  mediaOf(occurrence: StagedOccurrence): readonly Medium[] {
    const media = this.rowsOf<Medium>(occurrence, 'medium', MAX_PHOTOGRAPHS);
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
  const { source, id, core_id: coreId, file, line, data, has_facts: facts } = row;
  const rest = JSON.parse(data) as Pick<StagedOccurrence, 'body' | 'facts' | 'organism' | 'taxon'>;
  return { source, id, coreId, origin: { file, line }, hasFacts: facts === 1, ...rest };
}
