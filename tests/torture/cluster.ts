import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../helpers/service';

/** Milliseconds that PostgreSQL may take to come up or to be gone. */
const LIMIT = 30_000;

/** A PostgreSQL of the test's own, in a temporary folder: never the machine's. */
export interface Cluster {
  readonly url: string;
  start(): Promise<void>;
  /**
   * Ends it without a word to anybody: SIGQUIT is what `pg_ctl stop -m immediate` sends, SIGKILL ends the postmaster
   * alone. Returned when none of its processes is left.
   */
  end(signal: 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  remove(): Promise<void>;
}

interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

export async function makeCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'oms-cluster-'));
  const account = serverAccount();
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid ?? account.uid);
  const data = join(folder, 'data');
  const bin = binaries();
  const options = { ...account, cwd: folder, stdio: 'ignore' } as const;
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust'], options);
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let postmaster: ChildProcess | undefined;

  const end = async (signal: 'SIGQUIT' | 'SIGKILL'): Promise<void> => {
    postmaster?.kill(signal);
    await within(() => processesIn(data) === 0);
  };
  return {
    url,
    async start() {
      const given = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder];
      postmaster = spawn(join(bin, 'postgres'), given, options);
      await once(postmaster, 'spawn');
      await within(() => answers(url));
    },
    end,
    async remove() {
      await end('SIGQUIT');
      rmSync(folder, { recursive: true });
    },
  };
}

/** PostgreSQL refuses to run as root. */
function serverAccount(): Account {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres']).toString());
  return { uid: id('-u'), gid: id('-g') };
}

/** Where PostgreSQL's own programs are: Debian keeps them out of the path. */
function binaries(): string {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => +b - +a) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(':'),
  ];
  const found = folders.find((folder) => existsSync(join(folder, 'postgres')));
  if (found === undefined) throw new Error('No PostgreSQL server is installed to make a cluster.');
  return found;
}

/** How many processes work in a folder: each of PostgreSQL's does in its data directory. */
function processesIn(folder: string): number {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false; // it has ended, or is somebody else's
    }
  }).length;
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function within(holds: () => boolean | Promise<boolean>): Promise<void> {
  const started = Date.now();
  while (!(await holds())) {
    if (Date.now() - started > LIMIT) throw new Error('PostgreSQL neither comes nor goes');
    await sleep(20);
  }
}
