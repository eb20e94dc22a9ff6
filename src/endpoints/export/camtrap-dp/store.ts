/**
 * What a package needs of all its encounters, in an unnamed temporary database that disappears even if the process is
 * killed: where cameras were and when, their media, and the taxa.
 */
import {
  sqliteDriver,
  type SqliteHandle,
} from '../../../plugins/objects/server/database/sqlite-driver';
import type { Event } from './instants';

/** A place of a camera. */
export interface Deployment {
  readonly id: string;
  readonly latitude: number;
  readonly longitude: number;
  /** The columns of its row but for the time. */
  readonly row: readonly unknown[];
}

/** The bounds of a package. */
export interface Extent {
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

  constructor() {
    this.database = new (sqliteDriver())('');
    this.database.pragma('journal_mode = OFF');
    this.database.exec(
      `CREATE TABLE deployments (id TEXT PRIMARY KEY, latitude REAL, longitude REAL, data TEXT,
         since INTEGER, start TEXT, until INTEGER, ending TEXT);
       CREATE TABLE media (id TEXT PRIMARY KEY, data TEXT);
       CREATE TABLE taxa (id TEXT PRIMARY KEY, data TEXT)`,
    );
    this.statements = {
      deployment: this.database.prepare(
        `INSERT INTO deployments VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
           start = iif(excluded.since < since, excluded.start, start), since = min(since, excluded.since),
           ending = iif(excluded.until > until, excluded.ending, ending), until = max(until, excluded.until)`,
      ),
      medium: this.database.prepare('INSERT OR IGNORE INTO media VALUES (?, ?)'),
      taxon: this.database.prepare('INSERT OR IGNORE INTO taxa VALUES (?, ?)'),
    };
  }

  /** A camera was there as long as its encounters tell. */
  addDeployment({ id, latitude, longitude, row }: Deployment, event: Event): void {
    const { from, start, to, end } = event;
    const data = JSON.stringify(row);
    this.statements.deployment.run(id, latitude, longitude, data, from, start, to, end);
  }

  addMedium(id: string, row: readonly unknown[]): void {
    this.statements.medium.run(id, JSON.stringify(row));
  }

  addTaxon(id: string, taxon: object): void {
    this.statements.taxon.run(id, JSON.stringify(taxon));
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
    for (const { data, start, ending } of rows)
      yield [...(JSON.parse(data) as unknown[]), start, ending];
  }

  *media(): Generator<readonly unknown[]> {
    for (const data of this.texts('media')) yield JSON.parse(data) as unknown[];
  }

  /** Each as JSON. */
  taxa(): Generator<string> {
    return this.texts('taxa');
  }

  /** Null where there is no encounter. */
  extent(): Extent | null {
    const found = this.database
      .prepare<unknown[], Record<keyof Extent, string | number | null>>(
        `SELECT min(longitude) AS west, min(latitude) AS south, max(longitude) AS east,
           max(latitude) AS north,
           (SELECT start FROM deployments ORDER BY since LIMIT 1) AS start,
           (SELECT ending FROM deployments ORDER BY until DESC LIMIT 1) AS end
         FROM deployments`,
      )
      .get();
    return found && found.west !== null ? (found as unknown as Extent) : null;
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
