/** The media files that a package contains. */
import { posix } from 'node:path';
import { sqliteDriver, type SqliteHandle } from '../../../objects/server/database/sqlite-driver';
import { parseTime } from '../../../../core/time';
import type { Origin } from '../package/fault';
import type { Observation } from './observations';
import { isAddress } from '../package/package-files';
import type { TableRow } from '../package/row';

/** The columns that a media file requires. */
export const REQUIRED_OF_MEDIA = ['mediaID', 'deploymentID', 'timestamp', 'filePath'] as const;

/** A media file. */
export interface CamtrapMedium {
  readonly id: string;
  readonly deployment: string;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** Relative to the descriptor, or an address. */
  readonly path: string;
  readonly isElsewhere: boolean;
  readonly name: string;
  readonly origin: Origin;
}

/** Kibibytes of them that are kept in memory. */
const CACHE = 16_384;

/** The maximum number of photographs of an encounter. */
const MAX_OF_ENCOUNTER = 100;

/**
 * A row of `media` (https://camtrap-dp.tdwg.org/data/#media).
 *
 * @returns null for an invalid row, whose faults say why
 */
export function readMedium(row: TableRow): CamtrapMedium | null {
  const id = row.required('mediaID');
  const deployment = row.required('deploymentID');
  const path = row.required('filePath');
  const time = row.required('timestamp');
  if (row.faults.length > 0) return null;
  const isElsewhere = isAddress(path);
  const inside = isElsewhere ? path : posix.normalize(path.replaceAll('\\', '/'));
  if (!isElsewhere && (inside.startsWith('../') || posix.isAbsolute(inside)))
    return row.refuse('filePath', 'is outside of the package');
  const at = parseTime(time.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'))?.start;
  if (at === undefined) return row.refuse('timestamp', 'is not a date and time');
  const name = row.text('fileName') ?? posix.basename(inside);
  return {
    id,
    deployment,
    at,
    path: inside,
    isElsewhere,
    name,
    origin: { file: row.file, line: row.line },
  };
}

/** The addresses of those of an event, in the order of their index. */
const ADDRESSES_OF_EVENT = `SELECT elsewhere FROM media
    WHERE deployment = ? AND at BETWEEN ? AND ?
    ORDER BY at, id LIMIT ${MAX_OF_ENCOUNTER}`;

/** Columns of those that an observation names, and of those of its event: each by an index of its own. */
const ofObservation = (columns: string): string => `SELECT ${columns} FROM (
    SELECT at, id, ${columns} FROM media
      WHERE deployment = @deployment AND id IN (SELECT value FROM json_each(@named))
    UNION
    SELECT at, id, ${columns} FROM media
      WHERE @isEvent AND deployment = @deployment AND at BETWEEN @from AND @to
  ) ORDER BY at, id LIMIT ${MAX_OF_ENCOUNTER}`;

/** The media of a package, in an unnamed temporary file (as in `staging.ts`). */
export class Media {
  private readonly database: SqliteHandle;
  private readonly insert;
  private readonly find;
  private readonly findElsewhere;
  private readonly findElsewhereInEvent;
  private readonly setAsset;
  /** The files in the package. */
  count = 0;
  /** The addresses and the files that the package does not have. */
  elsewhere = 0;

  constructor() {
    this.database = new (sqliteDriver())('');
    this.database.pragma(`cache_size = -${CACHE}`);
    this.database.pragma('journal_mode = OFF');
    this.database.exec(
      `CREATE TABLE media (id TEXT PRIMARY KEY, deployment TEXT NOT NULL, at INTEGER NOT NULL,
         data TEXT NOT NULL, elsewhere TEXT, asset TEXT);
       CREATE INDEX media_at ON media (deployment, at, id, elsewhere)`,
    );
    this.insert = this.database.prepare('INSERT OR IGNORE INTO media VALUES (?, ?, ?, ?, ?, NULL)');
    this.find = this.database.prepare<unknown[], { data: string; asset: string | null }>(
      ofObservation('data, asset'),
    );
    this.findElsewhere = this.database
      .prepare<unknown[], string | null>(ofObservation('elsewhere'))
      .pluck();
    this.findElsewhereInEvent = this.database
      .prepare<unknown[], string | null>(ADDRESSES_OF_EVENT)
      .pluck();
    this.setAsset = this.database.prepare('UPDATE media SET asset = ? WHERE id = ?');
    // Else each row would be written to the file by itself.
    this.database.exec('BEGIN');
  }

  add(medium: CamtrapMedium): void {
    const { id, deployment, at, isElsewhere } = medium;
    const elsewhere = isElsewhere ? medium.path : null;
    const data = JSON.stringify(medium);
    const { changes } = this.insert.run(id, deployment, at, data, elsewhere);
    if (isElsewhere) this.elsewhere += changes;
    else this.count += changes;
  }

  /** The media of an observation: those that it names, or those of its event; each with its asset, if it has one. */
  of(observation: Observation): { medium: CamtrapMedium; asset: string | null }[] {
    const found = this.find.all(keyOf(observation));
    return found.map(({ data, asset }) => ({ medium: JSON.parse(data) as CamtrapMedium, asset }));
  }

  /** The paths of those that are not in the package. Asked for every observation, of which most name no file. */
  elsewhereOf(observation: Observation): string[] {
    if (this.elsewhere === 0) return [];
    const { deployment, level, allMedia, time } = observation;
    if (allMedia.length === 0 && level !== 'event') return [];
    const found =
      allMedia.length > 0
        ? this.findElsewhere.all(keyOf(observation))
        : this.findElsewhereInEvent.all(deployment, time.start.at, time.end.at);
    return found.filter((path) => path !== null);
  }

  keep(id: string, asset: string): void {
    this.setAsset.run(asset, id);
  }

  close(): void {
    this.database.close();
  }
}

const keyOf = ({ deployment, level, allMedia, time }: Observation) => ({
  deployment,
  named: JSON.stringify(allMedia),
  isEvent: level === 'event' ? 1 : 0,
  from: time.start.at,
  to: time.end.at,
});
