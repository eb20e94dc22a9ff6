import { sqliteDriver, type SqliteHandle } from '../../../objects/server/database/sqlite-driver';
import type { Organism } from '../package/dataset';
import { taxonKey, taxonKeyOf } from '../package/named-taxon';
import { Organisms } from '../package/organisms';
import { MediaSighting } from './media-sighting';
import {
  type Observation,
  type EventPlace,
  type RefusedObservation,
  type Staged,
} from './observations';

/** Kibibytes of the staging tables that are kept in memory; the rest is in a temporary file. */
const CACHE = 32_768;

const TABLES = `
  CREATE TABLE refused (place TEXT NOT NULL, taxon TEXT);
  CREATE TABLE verbatim (observation TEXT NOT NULL, term TEXT NOT NULL, value TEXT NOT NULL);
  CREATE TABLE observation (
    id TEXT NOT NULL, media INTEGER NOT NULL,
    place TEXT NOT NULL, taxon TEXT NOT NULL, individual TEXT NOT NULL,
    classified TEXT NOT NULL, file TEXT NOT NULL, line INTEGER NOT NULL, data TEXT NOT NULL
  )`;

const IS_REPEATED = 'EXISTS (SELECT 1 FROM observation e WHERE e.id = o.id AND e.rowid < o.rowid)';

/** Whether an earlier row has the same ID for another event or taxon. A repetition for the same ones adds nothing. */
const IS_ELSEWHERE = `${IS_REPEATED} AND NOT EXISTS (
    SELECT 1 FROM observation e
    WHERE e.id = o.id AND e.rowid < o.rowid
      AND e.place = o.place AND e.taxon = o.taxon AND e.media = o.media
  )`;

/** For observations of media: whether the event has the taxon already. A named taxon also covers unnamed animals. */
const IS_IN_EVENT = `CASE o.taxon
    WHEN '' THEN EXISTS (
      SELECT 1 FROM observation e WHERE e.place = o.place AND (e.media = 0 OR e.taxon <> '')
    )
    ELSE EXISTS (
      SELECT 1 FROM observation e WHERE e.place = o.place AND e.taxon = o.taxon AND e.media = 0
    )
  END`;

/** The same for refused observations, in their deployment or, if that is unknown, in any. */
const IS_REFUSED = `EXISTS (
    SELECT 1 FROM refused r
    WHERE r.place IN (o.place, json_set(o.place, '$[0]', NULL))
      AND (o.taxon = '' OR r.taxon IS NULL OR r.taxon = o.taxon)
  )`;

const IS_COVERED = `(${IS_IN_EVENT} OR ${IS_REFUSED})`;

interface StoredRow {
  readonly place: string;
  readonly taxon: string;
  readonly individual: string;
  readonly file: string;
  readonly line: number;
  readonly data: string;
}

/**
 * Stages the observations of a package until all have been read, because those of an event may be anywhere in the file.
 * The staging is an SQLite database in an unnamed temporary file, so that memory does not depend on the number of rows,
 * and nothing is left behind even if the process is killed.
 */
export class Staging {
  /** All have one source. */
  readonly organisms = new Organisms();
  private readonly database: SqliteHandle;
  private readonly insert;
  private readonly insertRefused;
  private readonly insertVerbatim;
  private readonly selectVerbatim;
  private hasVerbatim = false;
  /** By `taxonKey`. */
  private readonly names = new Map<string, string>();

  constructor() {
    this.database = new (sqliteDriver())('');
    this.database.pragma(`cache_size = -${CACHE}`);
    this.database.pragma('journal_mode = OFF');
    this.database.exec(TABLES);
    this.insert = this.database.prepare(
      'INSERT INTO observation VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.insertRefused = this.database.prepare('INSERT INTO refused VALUES (?, ?)');
    this.insertVerbatim = this.database.prepare('INSERT INTO verbatim VALUES (?, ?, ?)');
    this.selectVerbatim = this.database
      .prepare<[string], [string, string]>('SELECT term, value FROM verbatim WHERE observation = ?')
      .raw();
    this.database.exec('BEGIN');
  }

  /** Adds what an earlier import has kept of an observation. Before the staging is finished. */
  addVerbatim(observation: string, term: string, value: string): void {
    this.insertVerbatim.run(observation, term, value);
    this.hasVerbatim = true;
  }

  verbatimOf(observation: string): Readonly<Record<string, string>> {
    if (!this.hasVerbatim) return {};
    return Object.fromEntries(this.selectVerbatim.all(observation));
  }

  add({ observation, origin }: Staged): void {
    const { scientificName, individual } = observation;
    if (individual !== null) {
      const key = scientificName === null ? null : taxonKeyOf({ scientificName, rank: null });
      const organism = organismOf(individual);
      this.organisms.add('', organism, key, { ...origin, field: organism.column });
    }
    const taxon = taxonKey(scientificName);
    const media = observation.level === 'media';
    this.insert.run(
      observation.id,
      media ? 1 : 0,
      placeOf(observation),
      taxon,
      observation.individual ?? '',
      media ? JSON.stringify([observation.media, observation.classifier]) : '',
      origin.file,
      origin.line,
      JSON.stringify(observation),
    );
    if (scientificName !== null && !this.names.has(taxon)) this.names.set(taxon, scientificName);
  }

  /**
   * Stores the event and taxon of an invalid observation, whose other observations are skipped until it is corrected:
   * an encounter that is created without it would not change later, and the corrected observation would become another
   * encounter.
   */
  refuse({ place, taxon }: RefusedObservation): void {
    if (place.event !== null || place.media !== null || place.time !== null)
      this.insertRefused.run(placeOf(place), taxon);
  }

  /**
   * Ends the staging: removes and reports observations with the ID of an earlier one. The indexes are created here,
   * which takes a fraction of the time of updating them for each row.
   */
  finish(onRepeated: (staged: Staged) => void): void {
    this.database.exec('CREATE INDEX by_id ON observation (id)');
    if (this.hasVerbatim)
      this.database.exec('CREATE INDEX of_observation ON verbatim (observation)');
    if (this.hasRepeated()) this.removeRepeated(onRepeated);
    this.database.exec('CREATE INDEX refused_by_place ON refused (place)');
    this.database.exec('CREATE INDEX by_place ON observation (place, taxon, media)');
  }

  /** Whether two observations have the same ID: few packages have such, and the index by ID tells it fast. */
  private hasRepeated(): boolean {
    const query = 'SELECT 1 FROM observation GROUP BY id HAVING count(*) > 1 LIMIT 1';
    return this.database.prepare(query).get() !== undefined;
  }

  private removeRepeated(onRepeated: (staged: Staged) => void): void {
    const repeated = this.database.prepare<[], StoredRow>(
      `SELECT o.* FROM observation o WHERE ${IS_REPEATED} ORDER BY o.rowid`,
    );
    for (const row of repeated.iterate()) onRepeated(parse(row));
    this.database.exec(
      `INSERT INTO refused SELECT o.place, o.taxon FROM observation o WHERE ${IS_ELSEWHERE}`,
    );
    this.database.exec(`DELETE FROM observation AS o WHERE ${IS_REPEATED}`);
  }

  /** The number of encounters, and of observations that are merged into another one's encounter. */
  count(): { readonly sightings: number; readonly merged: number } {
    const count = (query: string): number =>
      this.database.prepare<[], { n: number }>(`SELECT count(*) AS n FROM ${query}`).get()?.n ?? 0;
    const sightings =
      count('observation WHERE media = 0') +
      count(
        `(SELECT DISTINCT place, taxon, individual FROM observation o WHERE media = 1 AND NOT ${IS_COVERED})`,
      );
    return { sightings, merged: count('observation') - sightings };
  }

  /** The scientific names in use, each in its first spelling. */
  get scientificNames(): readonly string[] {
    return [...this.names.values()];
  }

  /**
   * The sources of encounters: first the observations of events, then those of media of other events. Events are sorted
   * by ID, so that inserts into indexes that begin with the ID are sequential.
   */
  *sightings(): Generator<Staged> {
    const events = this.database.prepare<[], StoredRow>(
      'SELECT * FROM observation WHERE media = 0 ORDER BY id',
    );
    for (const row of events.iterate()) yield parse(row);
    const media = this.database.prepare<[], StoredRow>(
      `SELECT o.* FROM observation o WHERE o.media = 1 AND NOT ${IS_COVERED}
       ORDER BY o.place, o.taxon, o.individual, o.classified, o.rowid`,
    );
    yield* mergeMedia(media.iterate());
  }

  close(): void {
    this.database.close();
  }
}

const organismOf = (id: string): Organism => ({
  id,
  name: null,
  remarks: null,
  column: 'individualID',
});

function* mergeMedia(rows: Iterable<StoredRow>): Generator<Staged> {
  let sighting: MediaSighting | null = null;
  let key = '';
  for (const row of rows) {
    const staged = parse(row);
    const rowKey = JSON.stringify([row.place, row.taxon, row.individual]);
    if (sighting && rowKey === key) sighting.add(staged);
    else {
      if (sighting) yield sighting.merged;
      sighting = new MediaSighting(staged);
      key = rowKey;
    }
  }
  if (sighting) yield sighting.merged;
}

function parse({ file, line, data }: StoredRow): Staged {
  return { origin: { file, line }, observation: JSON.parse(data) as Observation };
}

/** The key of an event: its ID; without one, the media file; without that, the instant. */
function placeOf({ deployment, event, media, time }: EventPlace): string {
  const part =
    event !== null ? ['e', event] : media !== null ? ['m', media] : ['t', time?.start.text];
  return JSON.stringify([deployment, ...part]);
}
