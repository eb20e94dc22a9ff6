/**
 * What a package needs of all its encounters, in an unnamed temporary database that disappears even if the process is
 * killed: where cameras were and when, their media, and the taxa.
 */
import {
  sqliteDriver,
  type SqliteHandle,
} from '../../../plugins/objects/server/database/sqlite-driver';
import type { ExportedEvent } from './instants';

/** A place of a camera. */
export interface ExportedDeployment {
  readonly id: string;
  /** What tells it from others. */
  readonly key: string;
  /** Its ID where another one has that already. */
  readonly otherId: string;
  /** From when to when it lasted, as its source says. */
  readonly lasted: { readonly start: string | null; readonly end: string | null } | null;
  readonly latitude: number;
  readonly longitude: number;
  /** The columns of its row but for its ID and the time. */
  readonly row: readonly unknown[];
}

/** The bounds of a package. */
export interface PackageExtent {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
  readonly start: string;
  readonly end: string;
}

export class Store {
  private readonly database: SqliteHandle;
  private readonly statements;
  /** Of deployments, by their keys: some thousands. */
  private readonly ids = new Map<string, string>();
  private readonly taken = new Set<string>();

  constructor() {
    this.database = new (sqliteDriver())('');
    this.database.pragma('journal_mode = OFF');
    this.database.exec(
      `CREATE TABLE deployments (id TEXT PRIMARY KEY, latitude REAL, longitude REAL, data TEXT,
         since INTEGER, start TEXT, until INTEGER, ending TEXT);
       CREATE TABLE media (id TEXT PRIMARY KEY, data TEXT);
       CREATE TABLE taxa (id TEXT PRIMARY KEY, data TEXT);
       CREATE TABLE verbatim (id TEXT, term TEXT, value TEXT)`,
    );
    this.statements = {
      deployment: this.database.prepare(
        `INSERT INTO deployments VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
           start = iif(excluded.since < since, excluded.start, start), since = min(since, excluded.since),
           ending = iif(excluded.until > until, excluded.ending, ending), until = max(until, excluded.until)`,
      ),
      medium: this.database.prepare('INSERT OR IGNORE INTO media VALUES (?, ?)'),
      taxon: this.database.prepare('INSERT OR IGNORE INTO taxa VALUES (?, ?)'),
      verbatim: this.database.prepare('INSERT INTO verbatim VALUES (?, ?, ?)'),
    };
  }

  /** A camera was there as long as its source says, else as its encounters tell. @returns its ID in the package */
  addDeployment(deployment: ExportedDeployment, event: ExportedEvent): string {
    const { key, latitude, longitude, row, lasted } = deployment;
    const id = this.idOf(deployment);
    const { from, start, to, end } = event;
    const data = JSON.stringify({ id, row, lasted });
    this.statements.deployment.run(key, latitude, longitude, data, from, start, to, end);
    return id;
  }

  private idOf({ id, key, otherId }: ExportedDeployment): string {
    const known = this.ids.get(key);
    if (known !== undefined) return known;
    const own = this.taken.has(id) ? otherId : id;
    this.taken.add(own);
    this.ids.set(key, own);
    return own;
  }

  addMedium(id: string, row: readonly unknown[]): void {
    this.statements.medium.run(id, JSON.stringify(row));
  }

  addTaxon(id: string, taxon: object): void {
    this.statements.taxon.run(id, JSON.stringify(taxon));
  }

  addVerbatim(row: readonly [id: string, term: string, value: string]): void {
    this.statements.verbatim.run(...row);
  }

  /** Changes that are made at once. */
  together(work: () => void): void {
    this.database.transaction(work)();
  }

  *deployments(): Generator<readonly unknown[]> {
    const rows = this.database
      .prepare<unknown[], { data: string; start: string; ending: string }>(
        'SELECT data, start, ending FROM deployments ORDER BY id',
      )
      .iterate();
    for (const { data, start, ending } of rows) {
      const { id, row, lasted } = JSON.parse(data) as Pick<
        ExportedDeployment,
        'id' | 'row' | 'lasted'
      >;
      yield [id, ...row, lasted?.start ?? start, lasted?.end ?? ending];
    }
  }

  *media(): Generator<readonly unknown[]> {
    for (const data of this.texts('media')) yield JSON.parse(data) as unknown[];
  }

  *verbatim(): Generator<readonly unknown[]> {
    yield* this.database
      .prepare<unknown[], unknown[]>('SELECT id, term, value FROM verbatim ORDER BY rowid')
      .raw()
      .iterate();
  }

  /** Each as JSON. */
  taxa(): Generator<string> {
    return this.texts('taxa');
  }

  /** Null where there is no encounter. */
  extent(): PackageExtent | null {
    const found = this.database
      .prepare<unknown[], Record<keyof PackageExtent, string | number | null>>(
        `SELECT min(longitude) AS west, min(latitude) AS south, max(longitude) AS east,
           max(latitude) AS north,
           (SELECT start FROM deployments ORDER BY since LIMIT 1) AS start,
           (SELECT ending FROM deployments ORDER BY until DESC LIMIT 1) AS end
         FROM deployments`,
      )
      .get();
    return found && found.west !== null ? (found as unknown as PackageExtent) : null;
  }

  close(): void {
    this.database.close();
  }

  private *texts(table: 'media' | 'taxa'): Generator<string> {
    const rows = this.database
      .prepare<unknown[], { data: string }>(`SELECT data FROM ${table} ORDER BY id`)
      .iterate();
    for (const { data } of rows) yield data;
  }
}
