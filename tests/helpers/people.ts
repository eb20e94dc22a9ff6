import { hash } from '@node-rs/argon2';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Role } from '#app/core/caller';
import { siteOf } from '#app/plugins/objects/server';
import type { SiteSettings } from '#app/plugins/objects/server/site/settings';
import { storeAccount } from './accounts';
import type { Answer } from './http';
import { at, parsed, type Json } from './json';
import type { TestService } from './service';
import type { Sender } from './world';

/** A person with an account and its password. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly username: string | null;
  readonly password: string;
}

export interface PersonOptions {
  readonly role?: Exclude<Role, 'anonymous'>;
  readonly email?: string;
  readonly username?: string;
  /** Null for a person who was invited and has not set one. */
  readonly password?: string | null;
  readonly isVerified?: boolean;
  readonly isBlocked?: boolean;
}

/** What a hash costs is stored with it, and need not be what it costs the service to be safe. */
const CHEAP = { memoryCost: 8, timeCost: 1, parallelism: 1 } as const;

/** Stores an account directly: without the mail of a registration, and without counting towards limits. */
export async function makePerson(
  service: Pick<TestService, 'strapi'>,
  options: PersonOptions = {},
): Promise<Person> {
  const tag = randomBytes(4).toString('hex');
  const { role = 'user', email = `${tag}@people.example.org`, username = null } = options;
  const { password = `pass of ${tag}` } = options;
  const person = { id: randomUUID(), name: `Person ${tag}`, email, username };
  await storeAccount(service, {
    ...person,
    role,
    password: password === null ? null : await hash(password, CHEAP),
    isVerified: options.isVerified ?? true,
    isBlocked: options.isBlocked ?? false,
  });
  return { ...person, password: password ?? '' };
}

/** Tries to log in. @returns the answer, whatever it is */
export const tryLogin = (
  sender: Sender,
  username: string,
  password: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  sender.send({ method: 'POST', url: '/api/v0/login', headers, body: { username, password } });

/** Logs somebody in and gives the session's secret. @throws Error when it is refused */
export async function login(
  sender: Sender,
  { email, password }: Pick<Person, 'email' | 'password'>,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const answer = await tryLogin(sender, email, password, headers);
  if (answer.status !== 200) throw new Error(`the login answered ${answer.status} ${answer.text}`);
  return String(at(parsed(answer.text), 'response', 'cookie'));
}

/** The header by which a program shows its session. */
export const bearer = (secret: string): Readonly<Record<string, string>> => ({
  Authorization: `Bearer ${secret}`,
});

/** The SHA-256 under which a secret is stored. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Sends a request as a program with a session does. @param path behind `/api/v0/` */
export const ask = (
  sender: Sender,
  method: string,
  path: string,
  secret: string,
  body?: Json,
): Promise<Answer> =>
  sender.send({ method, url: `/api/v0/${path}`, headers: bearer(secret), body });

/** The statuses of `GET /session` for these secrets: 200 for a valid one. */
export async function worth(sender: Sender, ...secrets: readonly string[]): Promise<number[]> {
  const found: number[] = [];
  for (const secret of secrets) found.push((await ask(sender, 'GET', 'session', secret)).status);
  return found;
}

/** A new person with sessions, each of which has been used. */
export async function personWith(
  world: Sender & { readonly service: TestService },
  count: number,
  role: Exclude<Role, 'anonymous'> = 'user',
): Promise<{ person: Person; secrets: string[] }> {
  const person = await makePerson(world.service, { role });
  const secrets: string[] = [];
  for (let made = 0; made < count; made += 1) secrets.push(await login(world, person));
  await worth(world, ...secrets);
  return { person, secrets };
}

/** Runs an action with these settings of the site. */
export async function withSite(
  { strapi }: Pick<TestService, 'strapi'>,
  settings: Partial<SiteSettings>,
  action: () => Promise<void>,
): Promise<void> {
  const site = siteOf(strapi);
  const spy = jest.spyOn(site, 'current').mockReturnValue({ ...site.current(), ...settings });
  try {
    await action();
  } finally {
    spy.mockRestore();
  }
}

/** The properties `response` and `message.key` of an answer. */
export const responseOf = ({ text }: Answer): Json => at(parsed(text), 'response') as Json;
export const keyOf = ({ text }: Answer): unknown => at(parsed(text), 'message', 'key');
