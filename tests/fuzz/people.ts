import { setTimeout } from 'node:timers/promises';
import { send } from '../helpers/http';
import { at, parsed, type Json } from '../helpers/json';
import type { Own } from './known';
import { SECRET } from './values';

/** The callers. A user has no access to the panel, where it counts as anonymous. */
export const WHO = ['nobody', 'user', 'moderator', 'administrator'] as const;
export type Who = (typeof WHO)[number];
export type Role = Exclude<Who, 'nobody'>;

/** The two interfaces of the service: `/api/v0`, and Strapi's own routes. */
export type Door = 'api' | 'panel';

/** The administrator who makes the accounts, and is used for nothing else. */
export const ROOT = {
  email: 'root@people.example.org',
  password: `${SECRET} a long one, 1 please`,
};

let networks = 0;

/** An address in a network of its own. */
export function from(): Record<string, string> {
  networks += 1;
  const [a, b, c] = [networks >> 16, (networks >> 8) & 255, networks & 255];
  return { 'X-Forwarded-For': `${10 + a}.${b}.${c}.1` };
}

/** Accounts of the roles, and what is secret of them. */
export interface People {
  readonly renew: (role: Role) => Promise<void>;
  headersOf(who: Who, door: Door): Readonly<Record<string, string>>;
  /** The account of a caller; `nobody` shares that of `user`. */
  own(who: Who): Own;
  /** Whether an ID is that of an account, which no request may change but its own. */
  readonly isAccount: (id: string) => boolean;
  /** The keys of the sessions, which no answer may contain. */
  secrets(): readonly string[];
}

/** Seconds until a service that is not available is taken to be broken. */
const MAX_WAITS = 30;

const NONE: Own = { id: '', email: '', password: '' };

/** Creates an account of each role, and others in their place once their sessions have ended. */
export async function createPeople(url: string): Promise<People> {
  const headers = new Map<string, Record<string, string>>();
  const accounts = new Map<Who, Own>();
  const ids = new Set<string>();
  let made = 0;
  let makers: Record<string, string> | null = null;

  const ask = async (path: string, body: Json, given: Record<string, string> = {}) => {
    const post = () =>
      send(url, { method: 'POST', url: path, headers: { ...from(), ...given }, body });
    let answer = await post();
    // On a busy machine; the log, which is looked at too, has the reason.
    for (let tries = 0; answer.status === 503 && tries < MAX_WAITS; tries += 1) {
      await setTimeout(1000);
      answer = await post();
    }
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
  const make = async (account: Json): Promise<string> => {
    // An administrator may end the sessions of any other.
    let refusal = 'nothing was asked';
    for (let tries = 0; tries < 2; tries += 1) {
      makers ??= await logIn(ROOT.email, ROOT.password).catch((error: unknown) => {
        throw new Error(`no account (${refusal}): ${String(error)}`);
      });
      const { status, text, body } = await ask('/api/v0/user', account, makers);
      if (status === 200) {
        await openToUnverified(makers);
        return String(at(body, 'response', 'id'));
      }
      refusal = `${status} ${text}`;
      makers = null;
    }
    throw new Error(`no account: ${refusal}`);
  };
  const renew = async (role: Role): Promise<void> => {
    made += 1;
    const email = `${role}-${made}@people.example.org`;
    const password = `${SECRET} ${made} battery`;
    const id = await make({ name: `Person ${made}`, email, password, role });
    accounts.set(role, { id, email, password });
    ids.add(id);
    headers.set(`${role} api`, await logIn(email, password));
    if (role !== 'user') headers.set(`${role} panel`, await signIn(email, password));
  };
  for (const role of WHO) if (role !== 'nobody') await renew(role);
  const first = await send(url, { method: 'GET', url: '/api/v0/session', headers: makers ?? {} });
  ids.add(String(at(parsed(first.text), 'response', 'user', 'id')));
  return {
    renew,
    headersOf: (who, door) => headers.get(`${who} ${door}`) ?? {},
    own: (who) => accounts.get(who === 'nobody' ? 'user' : who) ?? NONE,
    isAccount: (id) => ids.has(id),
    secrets: () => [...headers.values()].map((one) => String(one['Authorization']).slice(7)),
  };
}
