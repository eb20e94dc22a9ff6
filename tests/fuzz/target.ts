import { Agent } from 'node:http';
import { join } from 'node:path';
import { freshDatabase } from '../helpers/database';
import { isLong } from '../helpers/counterexamples';
import { send, type Answer, type Request } from '../helpers/http';
import { asObject, parsed, type Json } from '../helpers/json';
import { startProcess } from '../helpers/process';
import { createPeople, from, ROOT, type Door, type People, type Who } from './people';

/** The built service as it runs in production, in a separate process, with an account of each role. */
export interface Target {
  readonly url: string;
  readonly pid: number;
  readonly document: Json;
  readonly people: People;
  /** Sends a request as one of the callers, from a network of its own, so that no limit applies. */
  send(request: Request, who: Who, door: Door): Promise<Answer>;
  /** What the process has written since the last call. */
  readonly takeLog: () => string;
  isWell(): boolean;
  close(): Promise<void>;
}

/** A process of its own (`helpers/process.ts`), whose time and memory are measured; in the long form it tells its heap (`heap.ts`). */
const MEASURED = {
  NODE_OPTIONS: isLong ? `--require "${join(__dirname, 'tell-heap.js')}"` : '',
};

export async function startTarget(): Promise<Target> {
  const database = await freshDatabase();
  const service = await startProcess({
    ...database.env,
    ...MEASURED,
    OMS_ADMIN_EMAIL: ROOT.email,
    OMS_ADMIN_PASSWORD: ROOT.password,
    TRUSTED_PROXIES: '127.0.0.1',
    LIMIT_READS: '0',
    LIMIT_REGISTRATIONS: '0',
    LIMIT_MAILS: '0',
    LIMIT_REPORTS: '0',
  });
  const { url, child } = service;
  const people = await createPeople(url);
  const agent = new Agent({ keepAlive: true });
  const { text } = await send(url, { method: 'GET', url: '/api/v0/openapi.json' });
  return {
    url,
    pid: child.pid ?? 0,
    document: asObject(parsed(text)),
    people,
    send: (request, who, door) => {
      const given = {
        ...request,
        headers: { ...from(), ...people.headersOf(who, door), ...request.headers },
      };
      // A connection may be closed just when it is used again.
      return send(url, given, agent).catch(() => send(url, given));
    },
    takeLog: service.taken,
    isWell: () => child.exitCode === null && child.signalCode === null,
    async close() {
      agent.destroy();
      child.kill('SIGTERM');
      await service.ended;
      await database.drop();
    },
  };
}
