/** Checks before the measurements that the floor gives the same answers as the service. */
import { deepStrictEqual } from 'node:assert';
import type { Contender } from '../contenders/contender';
import type { Sample } from './encounters';

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads, creates, changes and deletes an encounter with the service and the floor, and compares the answers.
 *
 * @throws Error with the difference
 */
export async function verify(
  ours: Contender,
  floor: Contender,
  id: string,
  sample: Sample,
): Promise<void> {
  deepStrictEqual(
    (await run(ours, id, sample)).map(comparable),
    (await run(floor, id, sample)).map(comparable),
  );
}

/** Checks that the stock Strapi returns the taxon with an encounter. @throws Error otherwise */
export async function verifyStock({ url }: Contender, id: string): Promise<void> {
  const answer = await fetch(`${url}/api/encounters/${id}?populate=taxonomy`);
  const { data } = (await answer.json()) as { data: { taxonomy?: Json | null } | null };
  if (!data?.taxonomy) throw new Error(`stock: ${id} has no taxon (${answer.status})`);
}

async function run({ url }: Contender, known: string, sample: Sample): Promise<Json[]> {
  const base = `${url}/api/v0/encounter`;
  const read = await ask('GET', `${base}/${known}`);
  const { id } = await ask('POST', base, sample);
  const one = `${base}/${String(id)}`;
  const created = await ask('GET', one);
  const update = await ask('PUT', one, { remarks: 'changed' }, { 'If-Match': '"1"' });
  const updated = await ask('GET', one);
  const deleted = await ask('DELETE', one);
  return [read, created, update, updated, deleted];
}

async function ask(
  method: string,
  url: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Json> {
  const answer = await fetch(url, {
    method,
    headers: { ...headers, ...(body ? { 'Content-Type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${text}`);
  if (method === 'GET' && !answer.headers.get('etag')) throw new Error(`${url} has no ETag`);
  return (JSON.parse(text) as { response: Json }).response;
}

/** Removes the fields that always differ. */
const comparable = ({ id, created_at, updated_at, ...rest }: Json): Json => ({
  ...rest,
  has: [typeof id, typeof created_at, typeof updated_at],
});
