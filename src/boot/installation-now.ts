/** What is so of a running installation: for the panel's first page, in figures that it puts into words. */
import type { Core } from '@strapi/strapi';
import { databaseOf, jobsOf } from '../plugins/objects/server';
import type { JobState } from '../plugins/objects/server/jobs/job';
import { sql } from '../plugins/objects/server/database/sql';
import type { InstallationLine, InstallationNow } from '../plugins/panel/shared/home';
import { checked, type Checks } from '../plugins/wire/server/health';
import {
  BACKUP_AGE,
  FAILED_RUNS,
  LITTLE_ROOM,
  MAIL_WAITS,
  MANY_CONNECTIONS,
  MANY_ROW_IDS,
} from './doctor/thresholds';
import type { Environment } from './environment';
import { readLately, readServer, roomOf, type Lately, type ServerState } from './facts';
import { oldNode } from './node-release';
import { releaseVersion } from './release';

type Level = InstallationLine['level'];
type About = InstallationLine['about'];

const line = (
  about: About,
  level: Level,
  values: InstallationLine['values'] = {},
): InstallationLine => ({ about, level, values });

const unless = (isWell: boolean, level: Level): Level => (isWell ? 'ok' : level);

/** Looks at little: what an index finds, and what the checks of the service say anyway. */
export async function installationNow(
  strapi: Core.Strapi,
  environment: Environment,
  checks: Checks,
): Promise<InstallationNow> {
  const database = databaseOf(strapi);
  const read = database.read.bind(database);
  const isPostgres = environment.database.client === 'postgres';
  const [held, room, lately, jobs, server] = await Promise.all([
    checked(checks),
    roomOf(environment.dataDir),
    readLately(read),
    jobsOf(strapi).states(),
    isPostgres ? readServer(read) : null,
  ]);
  const now = Date.now();
  return {
    lines: [
      line('database', unless(held.database, 'wrong')),
      line('storage', unless(held.storage, 'wrong')),
      line('photographs', unless(held.photographs, 'wrong')),
      line('room', unless(room.free / room.all >= LITTLE_ROOM, 'wrong'), { ...room }),
      ofMails(lately, environment, now),
      ofBackup(lately, environment, now),
      ...jobs.flatMap(ofJob),
      ...(server ? ofServer(server) : []),
      line('node', unless(!oldNode(process.version), 'look'), { version: process.version }),
    ],
    versions: {
      release: releaseVersion(),
      node: process.version,
      database: server
        ? `PostgreSQL ${server.version}`
        : `SQLite ${String((await read(sql`select sqlite_version()`))[0]?.[0])}`,
    },
  };
}

function ofMails({ mailsWaiting, oldestMail }: Lately, { smtpUrl }: Environment, now: number) {
  const age = oldestMail === null ? 0 : Math.max(0, now - oldestMail);
  const level = age > MAIL_WAITS ? 'wrong' : unless(smtpUrl !== null, 'look');
  return line('mails', level, {
    count: mailsWaiting,
    age,
    server: smtpUrl === null ? 'none' : 'smtp',
  });
}

function ofBackup({ backupAt, backupBytes }: Lately, { backup }: Environment, now: number) {
  const age = now - backupAt;
  const values = { isScheduled: backup ? 'yes' : 'no', bytes: backupBytes };
  return backupAt === 0
    ? line('backup', 'look', { ...values, made: 'no', age: 0 })
    : line('backup', unless(age <= BACKUP_AGE, 'wrong'), { ...values, made: 'yes', age });
}

/** A line for a job that has failed. */
const ofJob = ({ name, failures, error }: JobState): InstallationLine[] =>
  failures === 0
    ? []
    : [
        line('job', failures >= FAILED_RUNS ? 'wrong' : 'look', {
          name,
          failures,
          error: error ?? '',
        }),
      ];

const ofServer = ({ connections, maxConnections, idsUsed }: ServerState): InstallationLine[] => [
  line('connections', unless(connections <= MANY_CONNECTIONS * maxConnections, 'wrong'), {
    open: connections,
    max: maxConnections,
  }),
  ...(idsUsed > MANY_ROW_IDS ? [line('rowIds', 'wrong', { used: idsUsed })] : []),
];
