import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadEnvFile } from 'node:process';
import { number, string, ValidationError } from 'yup';
import { MAX_PASSWORD, MIN_PASSWORD } from '../core/formats';
import type { Allowed } from '../plugins/accounts/server/throttle/limits';
import type { MapTiles } from '../plugins/panel/shared/map-tiles';
import type { S3Environment } from '../plugins/assets/server/storage/s3';
import { appRoot } from './app-root';
import {
  backupOf,
  mapTilesOf,
  OPERATING_VARIABLES,
  tracingOf,
  type BackupEnvironment,
  type MetricsEnvironment,
  type PoolEnvironment,
  type TracingEnvironment,
} from './operating-environment';
import { s3Of, S3_VARIABLES } from './s3-environment';
import {
  httpAddress,
  isAddressOrNetwork,
  splitList,
  withoutSlash,
  type Variable,
} from './variable';
import { errorCode, StartError } from '../core/start-error';

export type LogLevel = (typeof LOG_LEVELS)[number];

export type DatabaseEnvironment =
  | { readonly client: 'sqlite'; readonly file: string }
  | { readonly client: 'postgres'; readonly url: string };

/** The operator's settings, checked and typed (contract, section 12). Each has a default. */
export interface Environment {
  readonly host: string;
  /** 0: the system chooses a free port. */
  readonly port: number;
  /** The origin at which browsers reach the service, without a slash at its end. */
  readonly publicUrl: string;
  /** The address of the frontend, without a slash at its end. */
  /** Null to use the setting of the site. */
  readonly frontendUrl: string | null;
  /** An absolute path. The folder contains everything that has to be backed up. */
  readonly dataDir: string;
  readonly database: DatabaseEnvironment;
  /** Addresses or networks (CIDR) whose `X-Forwarded-For` is used. */
  readonly trustedProxies: readonly string[];
  /** The mail server; without one, mails are written as files in the data directory. */
  readonly smtpUrl: string | null;
  /** The first administrator, who is created when there is none. */
  readonly administrator: { readonly email: string; readonly password: string } | null;
  /** The bucket of uploads; without one, they are files in the data directory. */
  readonly s3: S3Environment | null;
  /** What all secrets are derived from, when several servers have to share it. */
  readonly secret: string | null;
  /** Limits; 0 is no limit. */
  readonly limits: Allowed;
  /** Seconds from SIGTERM until no more connections are accepted, in which the service is not ready. */
  readonly shutdownGrace: number;
  readonly logLevel: LogLevel;
  readonly metrics: MetricsEnvironment;
  /** Null where nobody wants traces. */
  readonly tracing: TracingEnvironment | null;
  /** Null where the service makes none. */
  readonly backup: BackupEnvironment | null;
  readonly pools: PoolEnvironment;
  /** Null where the maps of the panel show the land alone. */
  readonly mapTiles: MapTiles | null;
}

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug', 'silent'] as const;

const DATABASE_CLIENTS = ['sqlite', 'postgres'] as const;

/** Seconds: a process manager does not wait longer by far. */
const MAX_GRACE = 300;

const WHOLE = /^\d{1,9}$/;

const LIMIT = {
  schema: number().transform((_cast, original: unknown) =>
    WHOLE.test(String(original)) ? Number(original) : NaN,
  ),
  expected: 'a whole number up to 999999999, 0 for no limit',
};

const mailServer = (value: string | undefined): boolean => {
  const url = value === undefined || !URL.canParse(value) ? null : new URL(value);
  return (
    url !== null &&
    /^smtps?:$/.test(url.protocol) &&
    url.hostname !== '' &&
    /^\/?$/.test(url.pathname) &&
    url.hash === ''
  );
};

const VARIABLES = {
  HOST: {
    schema: string().matches(/^[A-Za-z0-9._:-]+$/),
    expected: 'an address or a host name to listen on',
  },
  PORT: {
    schema: number()
      .transform((_cast, original: unknown) =>
        /^\d+$/.test(String(original)) ? Number(original) : NaN,
      )
      .min(0)
      .max(65_535),
    expected: 'a whole number from 0 to 65535',
  },
  PUBLIC_URL: {
    // An origin without a path: the panel is built for the root of its host, and cookies are set for the whole host.
    schema: string().test((value) => httpAddress(value) && new URL(value ?? '').pathname === '/'),
    expected: 'an http or https address without a path, such as https://oms.example.org',
  },
  FRONTEND_URL: {
    schema: string().test(httpAddress),
    expected: 'an http or https address, such as https://wildlife.example.org',
  },
  OMS_DATA_DIR: { schema: string(), expected: 'a folder' },
  DATABASE_CLIENT: { schema: string().oneOf(DATABASE_CLIENTS), expected: 'sqlite or postgres' },
  DATABASE_URL: {
    schema: string().matches(/^postgres(ql)?:\/\/\S+$/),
    expected: 'an address such as postgres://user:password@host:5432/database',
    secret: true,
  },
  TRUSTED_PROXIES: {
    schema: string().test((value) => splitList(value).every(isAddressOrNetwork)),
    expected: 'a list of addresses or networks with commas between, such as 10.0.0.0/8,127.0.0.1',
  },
  SMTP_URL: {
    schema: string().test(mailServer),
    expected: 'an address such as smtps://user:password@mail.example.org:465',
    secret: true,
  },
  ...S3_VARIABLES,
  ...OPERATING_VARIABLES,
  OMS_ADMIN_EMAIL: { schema: string().email(), expected: 'an e-mail address' },
  OMS_ADMIN_PASSWORD: {
    // The same as in the API (contract, section 5).
    schema: string().min(MIN_PASSWORD).max(MAX_PASSWORD),
    expected: `a password of ${MIN_PASSWORD} to ${MAX_PASSWORD} characters`,
    secret: true,
  },
  LIMIT_REGISTRATIONS: LIMIT,
  LIMIT_REPORTS: LIMIT,
  LIMIT_MAILS: LIMIT,
  LIMIT_READS: LIMIT,
  OMS_SECRET: {
    schema: string().min(32),
    expected: 'a text of at least 32 characters',
    secret: true,
  },
  SHUTDOWN_GRACE: {
    schema: number()
      .transform((_cast, original: unknown) =>
        /^\d{1,3}$/.test(String(original)) ? Number(original) : NaN,
      )
      .max(MAX_GRACE),
    expected: `a whole number of seconds from 0 to ${MAX_GRACE}`,
  },
  LOG_LEVEL: { schema: string().oneOf(LOG_LEVELS), expected: `one of ${LOG_LEVELS.join(', ')}` },
} satisfies Record<string, Variable<unknown>>;

type VariableName = keyof typeof VARIABLES;

/** The variables that this service reads, for tests that have to be independent of the machine's environment. */
export const VARIABLE_NAMES = Object.keys(VARIABLES) as VariableName[];

/**
 * Reads and checks the environment, by default that of this process. `.env` in the working directory is read too;
 * variables that are set already take precedence.
 *
 * @throws StartError with the first wrong variable, its value and what is expected
 */
export function readEnvironment(env: NodeJS.ProcessEnv = processEnvironment()): Environment {
  const read = <T>(name: VariableName, variable: Variable<T>): T | undefined =>
    check(name, variable, env[name]);
  const port = read('PORT', VARIABLES.PORT) ?? 1337;
  const frontendUrl = read('FRONTEND_URL', VARIABLES.FRONTEND_URL);
  const dataDir = resolve(appRoot, read('OMS_DATA_DIR', VARIABLES.OMS_DATA_DIR) ?? '.data');
  return {
    host: read('HOST', VARIABLES.HOST) ?? '127.0.0.1',
    port,
    publicUrl: withoutSlash(read('PUBLIC_URL', VARIABLES.PUBLIC_URL) ?? `http://localhost:${port}`),
    frontendUrl: frontendUrl === undefined ? null : withoutSlash(frontendUrl),
    dataDir,
    database: databaseOf(
      read('DATABASE_CLIENT', VARIABLES.DATABASE_CLIENT),
      read('DATABASE_URL', VARIABLES.DATABASE_URL),
      dataDir,
    ),
    trustedProxies: splitList(read('TRUSTED_PROXIES', VARIABLES.TRUSTED_PROXIES)),
    smtpUrl: read('SMTP_URL', VARIABLES.SMTP_URL) ?? null,
    s3: s3Of({
      bucket: read('S3_BUCKET', VARIABLES.S3_BUCKET),
      endpoint: read('S3_ENDPOINT', VARIABLES.S3_ENDPOINT),
      region: read('S3_REGION', VARIABLES.S3_REGION),
      prefix: read('S3_PREFIX', VARIABLES.S3_PREFIX),
      key: read('S3_ACCESS_KEY_ID', VARIABLES.S3_ACCESS_KEY_ID),
      secret: read('S3_SECRET_ACCESS_KEY', VARIABLES.S3_SECRET_ACCESS_KEY),
    }),
    administrator: administratorOf(
      read('OMS_ADMIN_EMAIL', VARIABLES.OMS_ADMIN_EMAIL),
      read('OMS_ADMIN_PASSWORD', VARIABLES.OMS_ADMIN_PASSWORD),
    ),
    limits: {
      registrations: read('LIMIT_REGISTRATIONS', LIMIT) ?? 60,
      reports: read('LIMIT_REPORTS', LIMIT) ?? 60,
      mails: read('LIMIT_MAILS', LIMIT) ?? 10,
      reads: read('LIMIT_READS', LIMIT) ?? 6000,
    },
    secret: read('OMS_SECRET', VARIABLES.OMS_SECRET) ?? null,
    shutdownGrace: read('SHUTDOWN_GRACE', VARIABLES.SHUTDOWN_GRACE) ?? 5,
    logLevel: read('LOG_LEVEL', VARIABLES.LOG_LEVEL) ?? 'info',
    metrics: {
      port: read('METRICS_PORT', VARIABLES.METRICS_PORT) ?? null,
      token: read('METRICS_TOKEN', VARIABLES.METRICS_TOKEN) ?? null,
    },
    tracing: tracingOf({
      endpoint: read('OTEL_EXPORTER_OTLP_ENDPOINT', VARIABLES.OTEL_EXPORTER_OTLP_ENDPOINT),
      protocol: read('OTEL_EXPORTER_OTLP_PROTOCOL', VARIABLES.OTEL_EXPORTER_OTLP_PROTOCOL),
      disabled: read('OTEL_SDK_DISABLED', VARIABLES.OTEL_SDK_DISABLED),
    }),
    backup: backupOf({
      at: read('BACKUP_AT', VARIABLES.BACKUP_AT),
      folder: read('BACKUP_DIR', VARIABLES.BACKUP_DIR),
      keep: read('BACKUP_KEEP', VARIABLES.BACKUP_KEEP),
    }),
    pools: {
      writer: read('DATABASE_POOL_WRITE', VARIABLES.DATABASE_POOL_WRITE) ?? 10,
      reader: read('DATABASE_POOL_READ', VARIABLES.DATABASE_POOL_READ) ?? 10,
    },
    mapTiles: mapTilesOf({
      url: read('MAP_TILES_URL', VARIABLES.MAP_TILES_URL),
      attribution: read('MAP_TILES_ATTRIBUTION', VARIABLES.MAP_TILES_ATTRIBUTION),
    }),
  };
}

function check<T>(
  name: VariableName,
  variable: Variable<T>,
  value: string | undefined,
): T | undefined {
  const text = value?.trim();
  if (text === undefined || text === '') return undefined;
  try {
    return variable.schema.validateSync(text);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const shown = variable.secret ? '' : `=${JSON.stringify(text)}`;
    throw new StartError(`${name}${shown} is not ${variable.expected}.`);
  }
}

/** The scheme of the address determines the database. */
function databaseOf(
  client: (typeof DATABASE_CLIENTS)[number] | undefined,
  url: string | undefined,
  dataDir: string,
): DatabaseEnvironment {
  if (url !== undefined && client !== 'sqlite') return { client: 'postgres', url };
  if (url !== undefined) {
    throw new StartError(
      'DATABASE_CLIENT="sqlite" and DATABASE_URL, the address of a PostgreSQL, contradict each other; give one of the two.',
    );
  }
  if (client !== 'postgres') return { client: 'sqlite', file: join(dataDir, 'db.sqlite') };
  throw new StartError(
    `DATABASE_CLIENT="postgres" requires DATABASE_URL: ${VARIABLES.DATABASE_URL.expected}.`,
  );
}

function administratorOf(email?: string, password?: string): Environment['administrator'] {
  if (email === undefined && password === undefined) return null;
  if (email === undefined) throw new StartError('OMS_ADMIN_PASSWORD requires OMS_ADMIN_EMAIL.');
  if (password === undefined) throw new StartError('OMS_ADMIN_EMAIL requires OMS_ADMIN_PASSWORD.');
  return { email, password };
}

/** Node never overrides with the file what is set already, an empty value included. */
function processEnvironment(): NodeJS.ProcessEnv {
  const file = resolve('.env');
  try {
    if (existsSync(file)) loadEnvFile(file);
  } catch (error) {
    throw new StartError(`${file} cannot be read (${errorCode(error)}).`);
  }
  return process.env;
}
