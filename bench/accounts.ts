/**
 * The cost of accounts: reads with and without a session, a hundred thousand sessions, logins compared with the bare
 * hash.
 */
import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { hashOfSecret } from '../src/core/secret';
import { hashPassword } from '../src/plugins/accounts/server/passwords/hash';
import { startContender, type Contender } from './contenders/contender';
import type { Dataset } from './data/dataset';
import { load, type Call, type NextCall } from './load';
import { measure, type Plan } from './measure';
import type { AccountsResult } from './result';
import type { Place } from './places/place';
import { median, percentile } from './statistics';
import type { Theater } from './stage';

/** The number of sessions, and of their accounts. */
const SESSIONS = 100_000;
const ACCOUNTS = 2000;

/** Logins under way at once: no more of one network may wait for their hashes. */
const LOGINS = 30;

const PASSWORD = 'correct horse battery';

/** Rows that are inserted by one statement. */
const STEP = 1000;

const secretOf = (session: number): string => `session-${session}`.padEnd(43, '-');
const emailOf = (account: number): string => `account${account}@example.org`;

/** Measures with the records of `first`. @param plan its connections are used for the reads */
export async function measureAccounts(
  { cleanup }: Theater,
  first: Dataset,
  plan: Plan,
): Promise<AccountsResult> {
  const place = await first.place.copy();
  cleanup.add(() => place.drop());
  plan.progress('accounts: makes the sessions');
  await fill(place);
  const ids = (await place.rows('select document_id from encounters')).map(([id]) => String(id));
  const contender = await startContender('ours', place.env);
  cleanup.add(() => contender.stop());

  const read = (authorization: () => Record<string, string>): NextCall => {
    let next = 0;
    return () => {
      next += 1;
      return {
        method: 'GET',
        path: `/api/v0/encounter/${ids[next % ids.length]}`,
        headers: authorization(),
      };
    };
  };
  const bearer = (session: number) => ({ authorization: `Bearer ${secretOf(session)}` });
  const anonymous = read(() => ({}));
  const one = read(() => bearer(0));
  const any = read(() => bearer(Math.floor(Math.random() * SESSIONS)));

  const few = await measure(
    'accounts: read, few sessions',
    [
      { name: 'anonymous', contender, next: anonymous },
      { name: 'with a session', contender, next: one },
    ],
    plan,
  );
  const before = (await contender.usage()).rss;
  await touchAll(contender);
  const after = (await contender.usage()).rss;
  const many = await measure(
    'accounts: read, 100,000 sessions in memory',
    [
      { name: 'anonymous', contender, next: anonymous },
      { name: 'with a session', contender, next: any },
    ],
    plan,
  );
  const logins = await measureLogins(contender, anonymous, plan);
  const refusals = await measureRefusals(contender);
  await contender.stop();
  return {
    reads: [few, many],
    sessions: SESSIONS,
    sessionsMemory: after - before,
    ...logins,
    refusals,
  };
}

async function fill(place: Place): Promise<void> {
  const hash = await hashPassword(PASSWORD);
  const now = Date.now();
  const accounts = Array.from({ length: ACCOUNTS }, () => randomUUID());
  const statements = chunks(
    accounts.map(
      (id, n) =>
        `('${id}', 'Account ${n}', '${emailOf(n)}', '${emailOf(n)}', 'user', '${hash}', 1)`,
    ),
    (rows) =>
      `insert into up_users (document_id, name, email, email_key, account_role, password, version) values ${rows}`,
  );
  const sessions = chunks(
    Array.from({ length: SESSIONS }, (_, n) => {
      const key = hashOfSecret(secretOf(n));
      return `('${key}', '${randomUUID()}', '${accounts[n % ACCOUNTS]}', ${now}, ${now}, 'bench')`;
    }),
    (rows) =>
      `insert into oms_sessions (hash, id, account, created_at, last_used_at, user_agent) values ${rows}`,
  );
  await place.run(...statements, ...sessions);
}

function chunks(rows: readonly string[], statement: (rows: string) => string): string[] {
  const statements: string[] = [];
  for (let at = 0; at < rows.length; at += STEP)
    statements.push(statement(rows.slice(at, at + STEP).join(', ')));
  return statements;
}

/** Uses every session once. */
async function touchAll(contender: Contender): Promise<void> {
  let session = 0;
  const next = (): Call | null => {
    if (session === SESSIONS) return null;
    const headers = { authorization: `Bearer ${secretOf(session)}` };
    session += 1;
    return { method: 'GET', path: '/api/v0/session', headers };
  };
  await load(contender.url, next, { connections: 10 });
}

type Logins = Pick<AccountsResult, 'hashes' | 'logins' | 'readsAlone' | 'readsDuringLogins'>;

async function measureLogins(contender: Contender, read: NextCall, plan: Plan): Promise<Logins> {
  const login: NextCall = (connection) => ({
    method: 'POST',
    path: '/api/v0/login',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ username: emailOf(connection), password: PASSWORD })),
  });
  const { connections, rounds, seconds, progress } = plan;
  const hashes: number[] = [];
  const logins: number[] = [];
  const alone: number[] = [];
  const during: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    plan.signal.throwIfAborted();
    progress(`accounts: logins, ${round + 1} of ${rounds}`);
    hashes.push(await bareHashes(seconds));
    const done = await load(contender.url, login, { connections: LOGINS, seconds });
    logins.push(done.requests / done.seconds);
    const reads = await load(contender.url, read, { connections, seconds });
    alone.push(percentile(reads.latencies, 0.99));
    const [, beside] = await Promise.all([
      load(contender.url, login, { connections: LOGINS, seconds }),
      load(contender.url, read, { connections, seconds }),
    ]);
    during.push(percentile(beside.latencies, 0.99));
  }
  return {
    hashes: median(hashes),
    logins: median(logins),
    readsAlone: median(alone),
    readsDuringLogins: median(during),
  };
}

/**
 * The number of refusals of each kind that are timed: together fewer than the limit of one network in a quarter of an
 * hour.
 */
const REFUSALS = 20;

/** The times of refused logins in milliseconds, alternating between a known and an unknown name. */
async function measureRefusals({ url }: Contender): Promise<AccountsResult['refusals']> {
  const time = async (username: string): Promise<number> => {
    const sent = performance.now();
    const { statusCode, body } = await request(`${url}/api/v0/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password: 'not this one' }),
    });
    await body.dump();
    if (statusCode !== 401) throw new Error(`a wrong password was answered ${statusCode}`);
    return performance.now() - sent;
  };
  const known: number[] = [];
  const unknown: number[] = [];
  for (let n = 0; n < REFUSALS; n += 1) {
    known.push(await time(emailOf(LOGINS + n)));
    unknown.push(await time(`nobody${n}@example.org`));
  }
  return { known: known.sort((a, b) => a - b), unknown: unknown.sort((a, b) => a - b) };
}

/** Bare hashes per second, with the concurrency of the service. */
async function bareHashes(seconds: number): Promise<number> {
  const start = performance.now();
  const end = start + seconds * 1000;
  let count = 0;
  const keepHashing = async (): Promise<void> => {
    while (performance.now() < end) {
      await hashPassword(PASSWORD);
      count += 1;
    }
  };
  await Promise.all([keepHashing(), keepHashing()]);
  return (count * 1000) / (performance.now() - start);
}
