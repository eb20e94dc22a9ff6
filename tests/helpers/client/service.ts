import { createClient, type Client, type ClientOptions } from '@oms/client';
import { randomUUID } from 'node:crypto';
import { startCutter, type Cutter } from './cutter';
import { freshDatabase, type FreshDatabase } from '../database';
import { startProcess, type ServiceProcess } from '../process';
import { photograph } from '../upload';

const administrator = { email: 'first@example.org', password: 'the first of all' };

/** An account, logged in. */
export interface Member {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly client: Client;
}

/** The service as a process, behind a proxy that cuts connections. */
export interface ClientService {
  readonly cutter: Cutter;
  /** Where the service is, without the proxy. */
  readonly url: string;
  /** A client that goes through the proxy, and gives up soon. */
  connect(options?: Partial<ClientOptions>): Client;
  /** A new account. */
  member(options?: Partial<ClientOptions>): Promise<Member>;
  /** The administrator, past the proxy. */
  administrator(): Promise<Client>;
  /** Kills the service, and starts it again. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Milliseconds that a client waits for an answer. */
const TIMEOUT = 15_000;

export async function startClientService(
  env: Readonly<Record<string, string>> = {},
): Promise<ClientService> {
  const database: FreshDatabase = await freshDatabase();
  const start = (): Promise<ServiceProcess> =>
    startProcess({
      ...database.env,
      OMS_ADMIN_EMAIL: administrator.email,
      OMS_ADMIN_PASSWORD: administrator.password,
      LIMIT_READS: '0',
      LIMIT_REPORTS: '0',
      LIMIT_REGISTRATIONS: '0',
      LIMIT_MAILS: '0',
      ...env,
    });
  let service = await start();
  const cutter = await startCutter(service.port);
  const connect = (options: Partial<ClientOptions> = {}): Client =>
    createClient({ baseUrl: cutter.url, session: 'bearer', timeout: TIMEOUT, ...options });
  let first: Client | null = null;
  return {
    cutter,
    get url() {
      return service.url;
    },
    connect,
    async member(options) {
      const tag = randomUUID().slice(0, 8);
      const body = { name: tag, email: `${tag}@example.org`, password: `pass of ${tag}` };
      const client = connect(options);
      const { response } = await client.answerTo(client.http.POST('/api/v0/user', { body }));
      await client.logIn(body.email, body.password);
      return { id: response.id, email: body.email, password: body.password, client };
    },
    async administrator() {
      const direct = createClient({
        baseUrl: service.url,
        session: 'bearer',
        ...(first?.sessionSecret ? { secret: first.sessionSecret } : {}),
      });
      if (first === null) await direct.logIn(administrator.email, administrator.password);
      return (first = direct);
    },
    async restart() {
      service.child.kill('SIGKILL');
      await service.ended;
      service = await start();
      cutter.target = service.port;
    },
    async close() {
      await cutter.close();
      service.child.kill('SIGKILL');
      await service.ended;
      await database.drop();
    },
  };
}

/** A photograph as a browser has it. */
export const photographFile = async (width?: number, height?: number): Promise<File> =>
  new File([new Uint8Array(await photograph(width, height))], 'photo.jpg', { type: 'image/jpeg' });

/** A store like the browser's `localStorage`. */
export function memoryStorage(): Storage {
  const items = new Map<string, string>();
  return {
    get length() {
      return items.size;
    },
    key: (at) => [...items.keys()][at] ?? null,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
    clear: () => items.clear(),
  };
}
