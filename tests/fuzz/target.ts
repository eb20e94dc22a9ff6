import { freshDatabase } from '../helpers/database';
import { send, type Answer, type Request } from '../helpers/http';
import { asObject, at, parsed, type Json } from '../helpers/json';
import { startProcess } from '../helpers/process';

/** The callers. A user has no access to the panel, where it counts as anonymous. */
export const WHO = ['nobody', 'user', 'moderator', 'administrator'] as const;
export type Who = (typeof WHO)[number];
type Role = Exclude<Who, 'nobody'>;

/** The two interfaces of the service: `/api/v0`, and Strapi's own routes. */
export type Door = 'api' | 'panel';

/** The built service as it runs in production, in a separate process, with an account of each role. */
export interface Target {
  readonly url: string;
  readonly pid: number;
  readonly document: Json;
  /** Sends a request as one of the callers, from a network of its own, so that no limit applies. */
  send(request: Request, who: Who, door: Door): Promise<Answer>;
  /** Another account in place of one that has been closed, or whose session has ended. */
  renew(role: Role): Promise<void>;
  /** The whole output of the process. */
  log(): string;
  isWell(): boolean;
  close(): Promise<void>;
}

const root = { email: 'root@people.example.org', password: 'A long one, 1 please' };

export async function startTarget(): Promise<Target> {
  const database = await freshDatabase();
  const service = await startProcess({
    ...database.env,
    OMS_ADMIN_EMAIL: root.email,
    OMS_ADMIN_PASSWORD: root.password,
    TRUSTED_PROXIES: '127.0.0.1',
    LIMIT_READS: '0',
    LIMIT_REGISTRATIONS: '0',
    LIMIT_MAILS: '0',
    LIMIT_REPORTS: '0',
  });
  const { url, child } = service;
  const people = createPeople(url);
  await people.renewAll();
  const { text } = await send(url, { method: 'GET', url: '/api/v0/openapi.json' });
  return {
    url,
    pid: child.pid ?? 0,
    document: asObject(parsed(text)),
    send: (request, who, door) =>
      send(url, {
        ...request,
        headers: { ...from(), ...people.headersOf(who, door), ...request.headers },
      }),
    renew: people.renew,
    log: () => service.output() + service.errors(),
    isWell: () => child.exitCode === null && child.signalCode === null,
    async close() {
      child.kill('SIGTERM');
      await service.ended;
      await database.drop();
    },
  };
}

let networks = 0;

/** An address in a network of its own. */
function from(): Record<string, string> {
  networks += 1;
  const [a, b, c] = [networks >> 16, (networks >> 8) & 255, networks & 255];
  return { 'X-Forwarded-For': `${10 + a}.${b}.${c}.1` };
}

/** Accounts of the roles, created by an administrator who is used for nothing else. */
function createPeople(url: string) {
  const headers = new Map<string, Record<string, string>>();
  let made = 0;
  let makers: Record<string, string> | null = null;

  const ask = async (path: string, body: Json, given: Record<string, string> = {}) => {
    const answer = await send(url, {
      method: 'POST',
      url: path,
      headers: { ...from(), ...given },
      body,
    });
    return { status: answer.status, body: parsed(answer.text), text: answer.text };
  };
  const bearerOf = (answer: { readonly text: string }, secret: unknown) => {
    if (typeof secret === 'string') return { Authorization: `Bearer ${secret}` };
    throw new Error(`nobody came in: ${answer.text}`);
  };
  const logIn = async (email: string, password: string) => {
    const answer = await ask('/api/v0/login', { username: email, password });
    return bearerOf(answer, at(answer.body, 'response', 'cookie'));
  };
  const signIn = async (email: string, password: string) => {
    const answer = await ask('/admin/login', { email, password });
    return bearerOf(answer, at(answer.body, 'data', 'token'));
  };
  /** Some request may have closed the site to whoever has not followed a link in a mail. */
  const openToUnverified = async (given: Record<string, string>): Promise<void> => {
    const [path, body] = ['/api/v0/site_settings', { require_verified_email: false }];
    await send(url, { method: 'PUT', url: path, headers: { ...from(), ...given }, body });
  };
  const make = async (account: Json): Promise<void> => {
    // An administrator may end the sessions of any other.
    let refusal = 'nothing was asked';
    for (let tries = 0; tries < 2; tries += 1) {
      makers ??= await logIn(root.email, root.password).catch((error: unknown) => {
        throw new Error(`no account (${refusal}): ${String(error)}`);
      });
      const { status, text } = await ask('/api/v0/user', account, makers);
      if (status === 200) return openToUnverified(makers);
      refusal = `${status} ${text}`;
      makers = null;
    }
    throw new Error(`no account: ${refusal}`);
  };
  const renew = async (role: Role): Promise<void> => {
    made += 1;
    const email = `${role}-${made}@people.example.org`;
    const password = `Correct horse ${made} battery`;
    await make({ name: `Person ${made}`, email, password, role });
    headers.set(`${role} api`, await logIn(email, password));
    if (role !== 'user') headers.set(`${role} panel`, await signIn(email, password));
  };
  return {
    renew,
    async renewAll() {
      for (const role of WHO) if (role !== 'nobody') await renew(role);
    },
    headersOf: (who: Who, door: Door) => headers.get(`${who} ${door}`) ?? {},
  };
}
