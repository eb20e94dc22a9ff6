/** What the database and the storage say of themselves. */
import { availableParallelism } from 'node:os';
import { errorText } from '../../core/start-error';
import { sql } from '../../plugins/objects/server/database/sql';
import { JOB_STATES, stateOf } from '../../plugins/objects/server/jobs/table';
import { distRoot } from '../app-root';
import { openBeside, type DatabaseBeside } from '../beside';
import { fileReaderOf } from '../backup/stored-files';
import type { Environment } from '../environment';
import { readLately, readServer, type Lately, type ServerState } from '../facts';
import { readMarker, whatDiffers } from '../installation';
import { releaseVersion, unknownMigrations } from '../release';
import { look, ok, wrong, type Finding } from './findings';
import { examineJobs } from './jobs';
import { BACKUP_AGE, MAIL_WAITS, MANY_CONNECTIONS, MANY_ROW_IDS } from './thresholds';

const HOUR = 3_600_000;

/** Milliseconds by which clocks may differ. */
const CLOCK = 2000;

/** Connections beside the pools: for notifications, the start, and checks. */
const OTHERS = 4;

/** All that can be asked of the database of an installation; one line where it cannot be asked. */
export async function examineStored(environment: Environment): Promise<Finding[]> {
  let beside: DatabaseBeside;
  try {
    beside = await openBeside(environment.database);
  } catch (error) {
    return [wrong('database', errorText(error))];
  }
  try {
    return [
      ...(await examineRelease(beside)),
      ...examineLately(await readLately(beside.read), environment),
      ...examineJobs(
        (await beside.read(JOB_STATES)).map((row) => stateOf(row, Date.now())),
        Date.now(),
      ),
      ...(environment.database.client === 'postgres'
        ? examineServer(await readServer(beside.read), environment)
        : []),
      ...(await examineClock(beside, environment)),
      ...(await examineInstallation(beside, environment)),
    ];
  } catch (error) {
    return [
      wrong(
        'database',
        `cannot be examined (${errorText(error)}): where it is of an older release, start this one once`,
      ),
    ];
  } finally {
    await beside.close();
  }
}

async function examineRelease({ read }: DatabaseBeside): Promise<Finding[]> {
  const applied = (await read(sql`select name from strapi_migrations`)).map(([name]) =>
    String(name),
  );
  const [unknown] = unknownMigrations(applied, distRoot);
  const [[version] = []] = await read(sql`select version from oms_release where id = 1`);
  return unknown === undefined
    ? [ok('release', `${releaseVersion()}; the database was last migrated by ${String(version)}`)]
    : [wrong('release', `the database is of a later one (${unknown}): start that one`)];
}

function examineLately(found: Lately, { backup }: Environment): Finding[] {
  const now = Date.now();
  const age = now - found.backupAt;
  const hours = Math.floor(age / HOUR);
  const waiting = found.oldestMail === null ? 0 : Math.max(0, now - found.oldestMail);
  const told = `the last backup is ${hours} hours old, of ${Math.ceil(found.backupBytes / 2 ** 20)} MiB`;
  return [
    found.backupAt === 0
      ? look(
          'backup',
          `none was made${backup ? ' yet' : ': set BACKUP_AT and BACKUP_DIR, or run npm run backup each night'}`,
        )
      : age > BACKUP_AGE
        ? wrong('backup', `${told}: look for "backup:" in the log, or at what cron says`)
        : ok('backup', told),
    waiting > MAIL_WAITS
      ? wrong(
          'mails',
          `${found.mailsWaiting} wait, one for ${Math.floor(waiting / HOUR)} hours: check the mail server`,
        )
      : ok('mails', `${found.mailsWaiting} wait to be sent`),
    ok('sessions', `${found.sessions}`),
  ];
}

function examineServer(state: ServerState, { pools }: Environment): Finding[] {
  const own = pools.writer + pools.reader + Math.max(1, availableParallelism() - 1) + OTHERS;
  const taken = `${state.connections} of ${state.maxConnections} connections are open; a server like this takes up to ${own}`;
  const ids = `${(state.idsUsed * 100).toFixed(1)} % of the row IDs of ${state.idsUsedBy ?? 'no table'} are used`;
  const longest = Math.floor(state.longestTransaction);
  return [
    ok('postgresql', state.version),
    state.connections > MANY_CONNECTIONS * state.maxConnections || own > state.maxConnections
      ? wrong(
          'connections',
          `${taken}: raise max_connections, or lower DATABASE_POOL_READ and DATABASE_POOL_WRITE`,
        )
      : ok('connections', taken),
    longest > 600
      ? wrong(
          'transactions',
          `one has been open for ${longest} s: see pg_stat_activity, and end it with pg_terminate_backend`,
        )
      : ok('transactions', `the longest is open for ${longest} s`),
    state.idsUsed > MANY_ROW_IDS
      ? wrong('row IDs', `${ids}: docs/operating.md says what then`)
      : ok('row IDs', ids),
  ];
}

async function examineClock(
  { read }: DatabaseBeside,
  { database }: Environment,
): Promise<Finding[]> {
  const [[last] = []] = await read(sql`select max(at) from oms_history`);
  const now = Date.now();
  const ahead = Number(last ?? 0) - now;
  if (ahead > CLOCK)
    return [
      wrong(
        'clock',
        `the last change was made ${Math.ceil(ahead / 1000)} s from now: the clock of this machine, or of another server, is wrong; use NTP`,
      ),
    ];
  if (database.client === 'sqlite') return [ok('clock', 'no change is of a time to come')];
  const [[theirs] = []] = await read(sql`select extract(epoch from clock_timestamp()) * 1000`);
  const apart = Math.abs(Number(theirs) - Date.now());
  return [
    apart > CLOCK
      ? wrong(
          'clock',
          `it is ${Math.ceil(apart / 1000)} s from that of PostgreSQL: use NTP on both`,
        )
      : ok('clock', 'that of PostgreSQL is the same'),
  ];
}

async function examineInstallation(
  { read }: DatabaseBeside,
  environment: Environment,
): Promise<Finding[]> {
  const place = environment.s3 ? `the bucket ${environment.s3.bucket}` : 'the folder of files';
  const [[installation, secret] = []] = await read(
    sql`select installation, secret from oms_installation where id = 1`,
  );
  if (installation === undefined) return [ok('storage', `${place}, which no service has used yet`)];
  const reader = await fileReaderOf(environment);
  try {
    if (!(await reader.answers())) throw new Error('it does not answer');
    const found = await readMarker(reader);
    const differs = whatDiffers(
      environment,
      { installation: String(installation), secret: String(secret) },
      found,
    );
    return differs.length === 0
      ? [ok('storage', `${place} and the secret are those of the database`)]
      : differs.map((text) => wrong('storage', text));
  } catch (error) {
    return [
      wrong(
        'storage',
        `${place} does not answer (${errorText(error)}): check S3_ENDPOINT, S3_BUCKET and its key`,
      ),
    ];
  }
}
