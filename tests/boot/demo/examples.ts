/**
 * The examples of the OpenAPI document: calls that the demo is really sent, one after the other, with what it really
 * answers. What differs from demo to demo (IDs, times, secrets) is replaced.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asObject, parsed, type Json } from '../../helpers/json';
import type { ServiceProcess } from '../../helpers/process';
import type { People } from './calls';
import { STEPS, type Step } from './example-steps';

/** A call: its query, the body that is sent, and what is answered with 200. */
interface Example {
  readonly call?: string;
  readonly body?: unknown;
  readonly answer?: unknown;
}

export interface Examples {
  /** By the ID of the operation. */
  readonly calls: Readonly<Record<string, Example>>;
  /** The bodies of refusals by their keys, without the prefix. */
  readonly refusals: Readonly<Record<string, unknown>>;
}

const PHOTOGRAPH = join(
  __dirname,
  '../../../database/demo/serengeti-photos/media',
  'S1_F10_R1_PICT0104.jpg',
);

/** What former calls have answered: `{org}` in a path or a body is the ID of the org. */
type Kept = Map<string, string>;

const filled = (text: string, kept: Kept): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => kept.get(name) ?? whole);

/** The value at a path in dots, through lists too. */
const valueAt = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (current, name) =>
        Array.isArray(current) ? (current as unknown[])[Number(name)] : asObject(current)[name],
      value,
    );

/** Sends all calls. @throws Error that names those that are answered otherwise */
export async function collectExamples(service: ServiceProcess, people: People): Promise<Examples> {
  const kept: Kept = new Map(
    Object.entries(people).flatMap(([name, { id, cookie }]): [string, string][] => [
      [name, id],
      [`${name}_bearer`, cookie],
    ]),
  );
  const calls: Record<string, Example> = {};
  const refusals: Record<string, unknown> = {};
  const strange: string[] = [];
  for (const step of STEPS) {
    const body = step.body && asObject(parsed(filled(JSON.stringify(step.body), kept)));
    const { status, text } = await carryOut(service, step, body, kept);
    const answer = step.isText ? text : parsed(text);
    const key = status === 200 ? undefined : keyOf(answer);
    if (key !== step.refused)
      strange.push(`${step.method ?? 'GET'} ${step.path.slice(0, 99)}: ${status} ${text}`);
    if (key !== undefined) {
      refusals[key] ??= answer;
      continue;
    }
    for (const [name, path] of Object.entries(step.keep ?? {}))
      kept.set(name, String(valueAt(asObject(answer)['response'], path)));
    if (step.id === undefined) continue;
    const isFile = step.id.endsWith('File');
    const call = filled(step.path, kept);
    calls[step.id] = {
      ...(call.includes('?') ? { call: `GET /api/v0/${call}` } : {}),
      ...(body ? { body } : {}),
      ...(isFile ? {} : { answer }),
    };
  }
  if (strange.length > 0) throw new Error(strange.join('\n'));
  const { stringify } = JSON;
  return asObject(parsed(steady(stringify({ calls, refusals }), kept))) as unknown as Examples;
}

/** The key of a refusal, without its prefix. */
const keyOf = (answer: unknown): string =>
  String(valueAt(answer, 'message.key')).replace('API_RESPONSE_', '');

async function carryOut(
  { url }: ServiceProcess,
  { method = 'GET', path, as, claim, isUpload, headers: own }: Step,
  body: Json | undefined,
  kept: Kept,
): Promise<{ readonly status: number; readonly text: string }> {
  const headers = {
    ...(as ? { Authorization: `Bearer ${kept.get(`${as}_bearer`) ?? ''}` } : {}),
    ...(claim ? { 'X-Claim': kept.get(claim) ?? '' } : {}),
    ...(body && !isUpload ? { 'Content-Type': 'application/json' } : {}),
    'User-Agent': 'a browser',
    ...own,
  };
  const content = isUpload ? formOf(body ?? {}) : body && JSON.stringify(body);
  const answer = await fetch(`${url}/api/v0/${filled(path, kept)}`, {
    method,
    headers,
    ...(content ? { body: content } : {}),
  });
  const text = answer.headers.get('content-type')?.startsWith('image/')
    ? (await answer.arrayBuffer()).byteLength.toString()
    : await answer.text();
  return { status: answer.status, text };
}

function formOf(fields: Json): FormData {
  const form = new FormData();
  const bytes = new Uint8Array(readFileSync(PHOTOGRAPH));
  form.set('file', new File([bytes], 'elephant.jpg', { type: 'image/jpeg' }));
  for (const [name, value] of Object.entries(fields))
    if (name !== 'file') form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  return form;
}

/** The texts with what differs from demo to demo replaced, by the order in which it occurs. */
function steady(text: string, kept: Kept): string {
  const ids = new Map<string, string>();
  const idOf = (id: string): string => {
    const known = ids.get(id) ?? uuidOf(ids.size);
    ids.set(id, known);
    return known;
  };
  return [...kept]
    .filter(([name]) => /_bearer$|claim/.test(name))
    .reduce((result, [name, secret]) => result.replaceAll(secret, secretOf(name)), text)
    .replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, idOf)
    .replace(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-03-09T08:15:30.123Z')
    .replace(/(?<="told_from":")[-\d]+/g, '2026-03-09')
    .replace(/(?<="next":")[^"]+/g, 'NkXiCwaRuMrPZVQNQ1wFXQ');
}

/** A UUID of version 4 that is the same each time. */
const uuidOf = (n: number): string =>
  createHash('sha256')
    .update(`example ${n}`)
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-a$4-$5');

const secretOf = (name: string): string =>
  createHash('sha256').update(`the secret of ${name}`).digest('base64url');
