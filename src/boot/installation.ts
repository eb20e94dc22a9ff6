/**
 * What belongs together: a database, the secret with which its tokens were made, and the storage of its files. The
 * database has a random name of the installation and a keyed hash of the secret, the storage an object with that name.
 * A server with another secret or storage would answer as if sessions and photographs were gone, so that it does not start.
 */
import type { Core } from '@strapi/strapi';
import { createHmac, randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { isUuid } from '../core/formats';
import { errorText, StartError } from '../core/start-error';
import { assetsOf } from '../plugins/assets/server';
import { isDenied } from '../plugins/assets/server/storage/s3';
import type { Storage } from '../plugins/assets/server/storage/storage';
import type { Environment } from './environment';
import { hasSecret, readSecrets } from './secrets';

type Knex = Core.Strapi['db']['connection'];

const TABLE = 'oms_installation';

/** The object that marks a storage: its content is the name of the installation. */
export const MARKER = '.oms-storage';

/** Bytes of a marker. */
const LENGTH = 36;

/** The row of the table. */
interface Installation {
  /** A UUID. */
  readonly installation: string;
  /** Hex. */
  readonly secret: string;
  /** Whether the storage has had its marker: a start may have ended before it was written. */
  readonly is_storage_marked: boolean | number;
  /** Whether the database is a copy for a trial, without secret and files. */
  readonly is_copy: boolean | number;
}

/** What a start accepts although it is not that of the database, for scripts that mend it. */
export interface Accepted {
  /** `ignore`: as if it were the same; `adopt`: from now on it is the one of the database. */
  readonly secret?: 'ignore' | 'adopt';
  /** `adopt`: gives it the marker of the database, whatever it has. */
  readonly storage?: 'adopt';
  /** A database into which another one is being copied. */
  readonly copy?: 'unfinished';
}

type Given = Pick<Environment, 'secret' | 'dataDir' | 's3'>;

/** A keyed hash of the secret: the key is derived from it for this purpose. */
const fingerprint = (environment: Given, installation: string): string =>
  createHmac('sha256', readSecrets(environment).fingerprintKey).update(installation).digest('hex');

const readInstallation = (knex: Knex): Promise<Installation | undefined> =>
  knex(TABLE).where({ id: 1 }).first<Installation | undefined>();

/** The storage, as an operator knows it. */
const placeOf = ({ s3, dataDir }: Given): string =>
  s3
    ? `The bucket ${s3.bucket}${s3.prefix === '' ? '' : `/${s3.prefix}`} (S3_BUCKET, S3_PREFIX)`
    : `The folder ${join(dataDir, 'public', 'uploads')} (OMS_DATA_DIR)`;

/**
 * To be called before a start writes anything.
 *
 * @throws StartError when the database has been used with another secret
 */
export async function refuseOtherSecret(
  knex: Knex,
  environment: Given,
  { secret }: Accepted = {},
): Promise<void> {
  if (secret !== undefined || !(await knex.schema.hasTable(TABLE))) return;
  const row = await readInstallation(knex);
  if (!row || row.is_copy || row.secret === fingerprint(environment, row.installation)) return;
  throw otherSecret(environment);
}

const otherSecret = (environment: Given): StartError => {
  const own =
    environment.secret === null ? join(environment.dataDir, 'secrets.json') : 'OMS_SECRET';
  return new StartError(
    `${own} is not the secret that the database has been used with: give all servers of a database the same OMS_SECRET, ` +
      'or the secrets.json of the first one. Where that secret is lost: npm run adopt-storage -- --secret.',
  );
};

/** What of an installation is not that of its database, for who looks at it. @param marker of the storage */
export function whatDiffers(
  environment: Environment,
  row: Pick<Installation, 'installation' | 'secret'>,
  marker: string | null,
): string[] {
  const isOther =
    !hasSecret(environment) || row.secret !== fingerprint(environment, row.installation);
  return [
    ...(isOther ? [otherSecret(environment).message] : []),
    ...(marker === row.installation ? [] : [otherStorage(environment, marker).message]),
  ];
}

/** The storage of a service, compared with what its database says of it. */
export interface StorageCheck {
  /** Whether it is that of the database; false while the storage does not answer. */
  isSame(): Promise<boolean>;
}

/** A storage that nothing is known of, as that of scripts which serve no files. */
const ANY: StorageCheck = { isSame: () => Promise.resolve(true) };

/**
 * Compares the storage at a start, and writes what is to be compared at the first one. A storage that does not answer is
 * compared as soon as it does.
 *
 * @param isServer whether it is the start of a service: scripts write nothing unless they are told to adopt
 * @throws StartError when the storage is not that of the database
 */
export async function openInstallation(
  strapi: Core.Strapi,
  environment: Environment,
  { isServer, accepted = {} }: { readonly isServer: boolean; readonly accepted?: Accepted },
): Promise<StorageCheck> {
  const knex = strapi.db.connection;
  const adopts = accepted.secret === 'adopt' || accepted.storage === 'adopt';
  let row = await readInstallation(knex);
  if (!row && !isServer && !adopts) return ANY;
  row ??= await firstInstallation(knex, environment);
  if (row.is_copy) return ANY;
  const { installation } = row;
  if (accepted.secret === 'adopt')
    await knex(TABLE).update({ secret: fingerprint(environment, installation) });
  const { storage, folder } = assetsOf(strapi);
  const write = async (): Promise<void> => {
    const file = join(folder, MARKER);
    await writeFile(file, installation, { mode: 0o600 });
    await storage.put(MARKER, file, 'text/plain').finally(() => rm(file, { force: true }));
    await knex(TABLE).update({ is_storage_marked: true });
  };
  if (accepted.storage === 'adopt') {
    await write();
    return ANY;
  }
  const compare = async (): Promise<void> => {
    const found = await readMarker(storage);
    if (found === installation) return;
    if (found === null && isServer && !row.is_storage_marked) return write();
    throw otherStorage(environment, found);
  };
  return comparing(strapi, compare);
}

async function comparing(strapi: Core.Strapi, compare: () => Promise<void>): Promise<StorageCheck> {
  let isSame = false;
  const attempt = async (): Promise<void> => {
    await compare();
    isSame = true;
  };
  try {
    await attempt();
  } catch (error) {
    if (error instanceof StartError) throw error;
    strapi.log.warn(
      `the storage does not answer, and is not known to be that of the database yet (${errorText(error)})`,
    );
  }
  return {
    async isSame() {
      if (!isSame) await attempt();
      return isSame;
    },
  };
}

async function firstInstallation(knex: Knex, environment: Given): Promise<Installation> {
  const installation = randomUUID();
  const secret = fingerprint(environment, installation);
  await knex(TABLE).insert({ id: 1, installation, secret }).onConflict('id').ignore();
  const row = await readInstallation(knex);
  if (!row) throw new Error(`${TABLE} has no row`);
  return row;
}

/** The name of an installation in a storage; null where there is no marker. */
export async function readMarker(storage: Pick<Storage, 'read'>): Promise<string | null> {
  const range = { start: 0, end: LENGTH - 1 };
  const found = await storage.read(MARKER, range, LENGTH).catch((error: unknown) => {
    if (isDenied(error)) return null;
    throw error;
  });
  if (found === null) return null;
  return (Buffer.isBuffer(found) ? found : await buffer(found)).toString('latin1');
}

function otherStorage(environment: Environment, found: string | null): StartError {
  const place = placeOf(environment);
  const told =
    found === null
      ? `has no ${MARKER} of this database: it is another one, or the files are not there`
      : `is that of another database${isUuid(found) ? ` (${MARKER}: ${found})` : ''}`;
  return new StartError(
    `${place} ${told}. Servers that share a database share a bucket or a folder. If you have moved the files there: npm run adopt-storage.`,
  );
}
