/** What is asked of the demo over HTTP. */
import { asObject, at, type Json } from '../../helpers/json';
import type { ServiceProcess } from '../../helpers/process';
import { accountsIn } from './output';

/** A person with a session, and what it tells of its user. */
export interface Person {
  readonly id: string;
  readonly cookie: string;
  readonly user: Json;
}

/** By the first part of their addresses. */
export type People = Readonly<Record<string, Person>>;

/** Whose ID this is. */
export const nameIn = (people: People, id: unknown): string | undefined =>
  Object.entries(people).find(([, person]) => person.id === id)?.[0];

/** The object of an answer. */
export const objectOf = (answer: Json): Json => asObject(answer['response']);

export const JSON_TYPE = { 'Content-Type': 'application/json' };

export const post = (url: string, body: object): Promise<Response> =>
  fetch(url, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) });

/** Asks for a path, without an account or as a person. */
export const read = async (
  { url }: ServiceProcess,
  path: string,
  person?: Person,
): Promise<Json> => {
  const headers = person ? { Authorization: `Bearer ${person.cookie}` } : undefined;
  const answer = await fetch(new URL(path, `${url}/api/v0/`), headers ? { headers } : {});
  expect([path, answer.status]).toEqual([path, 200]);
  return (await answer.json()) as Json;
};

/** Logs everybody in. */
export async function people(service: ServiceProcess): Promise<People> {
  const found: Record<string, Person> = {};
  for (const { email, password } of accountsIn(service)) {
    const answer = await post(`${service.url}/api/v0/login`, { username: email, password });
    const { cookie, user } = objectOf((await answer.json()) as Json);
    const id = String(at(user, 'id'));
    found[email.split('@')[0] ?? ''] = { id, cookie: String(cookie), user: asObject(user) };
  }
  return found;
}

/** Changes what is at a path, as somebody. */
export async function change(
  service: ServiceProcess,
  name: string,
  path: string,
  body: object,
): Promise<void> {
  const cookie = (await people(service))[name]?.cookie ?? '';
  const answer = await fetch(`${service.url}/api/v0/${path}`, {
    method: 'PUT',
    headers: { ...JSON_TYPE, Authorization: `Bearer ${cookie}` },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}
