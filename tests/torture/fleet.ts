import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { freshDatabase, type FreshDatabase } from '../helpers/database';
import { startProcess, type ServiceProcess } from '../helpers/process';
import { startS3, type S3Server } from '../helpers/s3-server';
import { Balancer } from './balancer';

/** Who the environment of the servers names as the first administrator. */
export const ADMINISTRATOR = {
  email: 'administrator@people.example.org',
  password: 'a good one of the operator',
} as const;

/** Seconds; the balancer asks several times in them. */
const GRACE = 2;

/** Several servers with one database, one bucket and one secret, each with a folder of its own, behind a balancer. */
export class Fleet {
  private readonly servers: ServiceProcess[] = [];
  private readonly secret = randomBytes(32).toString('hex');

  private constructor(
    readonly database: FreshDatabase,
    readonly bucket: S3Server,
    readonly balancer: Balancer,
    private readonly ports: readonly number[],
  ) {}

  /** Starts all at once, on a database that no server has used yet. @throws Error when one does not start */
  static async start(size: number): Promise<Fleet> {
    const taken = new Set<number>();
    while (taken.size < size) taken.add(await keptPort());
    const ports = [...taken];
    const balancer = await Balancer.start(ports.map((port) => `http://127.0.0.1:${port}`));
    const fleet = new Fleet(await freshDatabase(), await startS3(), balancer, ports);
    try {
      await Promise.all(ports.map((_, place) => fleet.start(place)));
    } catch (error) {
      await fleet.stop();
      throw error;
    }
    return fleet;
  }

  /** The variables of a server, and of scripts that run beside it. */
  envOf(place: number): Readonly<Record<string, string>> {
    const { env, dataDir } = this.database;
    const folder = join(dataDir, `server ${place}`);
    mkdirSync(folder, { recursive: true });
    return {
      ...env,
      ...this.bucket.env,
      OMS_DATA_DIR: folder,
      OMS_SECRET: this.secret,
      OMS_ADMIN_EMAIL: ADMINISTRATOR.email,
      OMS_ADMIN_PASSWORD: ADMINISTRATOR.password,
      PUBLIC_URL: this.balancer.url,
      TRUSTED_PROXIES: '127.0.0.1',
      SHUTDOWN_GRACE: String(GRACE),
      LOG_LEVEL: 'warn',
      // Counted by each server for itself, and too few for a load of one session.
      LIMIT_READS: '0',
      // Other tests may use the same PostgreSQL, which has room for a hundred.
      DATABASE_POOL_WRITE: '5',
      DATABASE_POOL_READ: '5',
    };
  }

  /** Starts a server, and waits until the balancer sends it requests. */
  async start(place: number): Promise<void> {
    const env = { ...this.envOf(place), PORT: String(this.ports[place]) };
    this.servers[place] = await startProcess(env);
    await this.balancer.up(place);
  }

  /** Ends a server (SIGTERM, SIGKILL). @returns its exit code, or the signal */
  async end(place: number, signal: NodeJS.Signals): Promise<number | NodeJS.Signals | undefined> {
    const server = this.servers[place];
    server?.child.kill(signal);
    const ended = await server?.ended;
    await this.balancer.out(place);
    return ended;
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((_, place) => this.end(place, 'SIGKILL')));
    await this.balancer.close();
    await this.bucket.close();
    await this.database.drop();
  }
}

/** A free port that stays free while its server is away: outgoing connections have those from 32768 on. */
async function keptPort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    probe.close();
    if (isFree) return port;
  }
}
