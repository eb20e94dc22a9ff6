/** The variables for metrics, backups on a schedule, the pools of PostgreSQL, and the maps of the panel. */
import { number, string } from 'yup';
import { StartError } from '../core/start-error';
import type { MapTiles } from '../plugins/panel/shared/map-tiles';
import { httpAddress, type Variable } from './variable';

/** Who may read the metrics; both null: nobody. */
export interface MetricsEnvironment {
  /** A port of its own; null for that of the service. */
  readonly port: number | null;
  /** Who reads them sends it as a bearer token. */
  readonly token: string | null;
}

/** Where traces go; the address and all else are read by OpenTelemetry itself. */
export interface TracingEnvironment {
  readonly protocol: (typeof TRACE_PROTOCOLS)[number];
}

/** The encodings of OTLP over HTTP, the default one first. */
const TRACE_PROTOCOLS = ['http/protobuf', 'http/json'] as const;

/** The backups that the service makes. */
export interface BackupEnvironment {
  /** Minutes after midnight, UTC. */
  readonly at: number;
  /** The folder in which each gets its time as its name. */
  readonly folder: string;
  /** So many are kept. */
  readonly keep: number;
}

/** The largest numbers of connections to PostgreSQL. */
export interface PoolEnvironment {
  readonly writer: number;
  readonly reader: number;
}

const whole = (least: number, most: number): Variable<number | undefined> => ({
  schema: number()
    .transform((_cast, original: unknown) =>
      /^\d{1,5}$/.test(String(original)) ? Number(original) : NaN,
    )
    .min(least)
    .max(most),
  expected: `a whole number from ${least} to ${most}`,
});

/** A time of day: `02:00`. */
const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** The parts of the address of a tile (https://wiki.openstreetmap.org/wiki/Raster_tile_providers). */
const TILE_PARTS = ['{z}', '{x}', '{y}'];

function isTileAddress(value: string | undefined): boolean {
  if (value === undefined || !TILE_PARTS.every((part) => value.includes(part))) return false;
  const text = TILE_PARTS.reduce((address, part) => address.replace(part, '0'), value);
  if (!URL.canParse(text) || /[{}\s;,'"]/.test(text)) return false;
  const { protocol, username } = new URL(text);
  return /^https?:$/.test(protocol) && username === '';
}

export const OPERATING_VARIABLES = {
  METRICS_PORT: whole(1, 65_535),
  METRICS_TOKEN: {
    schema: string().matches(/^[\x21-\x7e]{32,}$/),
    expected: 'a token of at least 32 characters without blanks',
    secret: true,
  },
  BACKUP_AT: {
    schema: string().matches(TIME),
    expected: 'a time of day in UTC, such as 02:00',
  },
  BACKUP_DIR: { schema: string(), expected: 'a folder' },
  BACKUP_KEEP: whole(1, 10_000),
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: string().test(httpAddress),
    expected: 'an http or https address, such as http://127.0.0.1:4318',
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    schema: string().oneOf(TRACE_PROTOCOLS),
    expected: `one of ${TRACE_PROTOCOLS.join(', ')}`,
  },
  OTEL_SDK_DISABLED: { schema: string().oneOf(['true', 'false']), expected: 'true or false' },
  MAP_TILES_URL: {
    schema: string().test(isTileAddress),
    expected: 'an address with {z}, {x} and {y}, such as https://tile.example.org/{z}/{x}/{y}.png',
    // A key of the tile server may be part of it.
    secret: true,
  },
  MAP_TILES_ATTRIBUTION: { schema: string().max(200), expected: 'a text of up to 200 characters' },
  DATABASE_POOL_WRITE: whole(2, 500),
  DATABASE_POOL_READ: whole(1, 500),
} satisfies Record<string, Variable<unknown>>;

/** How many backups are kept unless BACKUP_KEEP says otherwise. */
const KEEP = 14;

interface Given {
  readonly at: string | undefined;
  readonly folder: string | undefined;
  readonly keep: number | undefined;
}

/** Null where the service makes none. @throws StartError for a part of what they need */
export function backupOf({ at, folder, keep }: Given): BackupEnvironment | null {
  if (at === undefined) {
    if (folder === undefined && keep === undefined) return null;
    throw new StartError('BACKUP_DIR and BACKUP_KEEP need BACKUP_AT, which is empty.');
  }
  if (folder === undefined)
    throw new StartError('BACKUP_AT needs BACKUP_DIR, the folder of the backups.');
  const [, hours, minutes] = TIME.exec(at) ?? [];
  return { at: Number(hours) * 60 + Number(minutes), folder, keep: keep ?? KEEP };
}

/** Null where nobody wants traces. */
export const tracingOf = ({
  endpoint,
  protocol = TRACE_PROTOCOLS[0],
  disabled,
}: {
  readonly endpoint: string | undefined;
  readonly protocol: TracingEnvironment['protocol'] | undefined;
  readonly disabled: string | undefined;
}): TracingEnvironment | null =>
  endpoint === undefined || disabled === 'true' ? null : { protocol };

/** Null where the maps of the panel show the land alone. @throws StartError for one of the two without the other */
export function mapTilesOf({
  url,
  attribution,
}: {
  readonly url: string | undefined;
  readonly attribution: string | undefined;
}): MapTiles | null {
  if (url === undefined && attribution === undefined) return null;
  if (url === undefined || attribution === undefined)
    throw new StartError('MAP_TILES_URL and MAP_TILES_ATTRIBUTION need each other.');
  return { url, attribution };
}
