import type { paths } from './api.js';
import type { Client } from './client.js';
import { failureOf, type Failure } from './failure.js';
import { newId } from './ids.js';
import { persistently, type RetryOptions } from './retry.js';
import type { Schemas } from './types.js';

type BatchBody = paths['/api/v0/batch']['post']['requestBody']['content']['application/json'];

/** The bodies of operations are those of the single calls. */
type WithBody<O> = O extends unknown
  ? Omit<O, 'body'> & { readonly body?: Readonly<Record<string, unknown>> }
  : never;

/** An operation of a batch. */
export type Operation = WithBody<BatchBody['operations'][number]>;

/** What the single call of each operation would have been answered. */
export type OperationResult = Schemas['BatchResults']['results'][number];

export interface BatchOptions extends RetryOptions {
  /** All or none; by default true. */
  readonly atomic?: boolean;
  /** Everything is checked, nothing is kept. */
  readonly dryRun?: boolean;
}

/**
 * Carries out up to 500 operations. A create without an ID gets one, so that a batch of creates, updates without `if_match` and
 * deletes can be sent again after a lost answer: a create that was carried out then counts as done (200), and so does a delete
 * of what is gone. Any other batch is sent once.
 *
 * @throws Failure API_RESPONSE_BATCH_FAILED, whose `response.results` tell why; CLIENT_NO_ANSWER where it is not known
 *   whether a batch that cannot be repeated was carried out
 */
export async function batch(
  client: Client,
  given: readonly Operation[],
  { atomic = true, dryRun = false, ...retry }: BatchOptions = {},
): Promise<OperationResult[]> {
  const operations = given.map(withId);
  const body = { operations, atomic, dry_run: dryRun } as BatchBody;
  const tries = dryRun || operations.every(isRepeatable) ? retry.tries : 1;
  let sent = 0;
  const once = (): Promise<OperationResult[]> => {
    sent += 1;
    const call = client.http.POST('/api/v0/batch', {
      body,
      signal: retry.signal,
    });
    return client.answerTo(call).then(({ response }) => response.results);
  };
  try {
    const results = await persistently(once, { ...retry, tries });
    return sent === 1
      ? results
      : results.map((result, at) => asDone(result, operations[at]) ?? result);
  } catch (error) {
    const failure = failureOf(error);
    const done = sent === 1 ? null : doneBefore(failure, operations);
    if (done) return done;
    throw failure;
  }
}

const withId = (operation: Operation): Operation =>
  operation.op === 'create' && operation.body?.['id'] === undefined
    ? { ...operation, body: { ...operation.body, id: newId() } }
    : operation;

const isRepeatable = (operation: Operation): boolean =>
  operation.op === 'create' ||
  ((operation.op === 'update' || operation.op === 'delete') && !operation.if_match);

/** The result of an operation that an earlier try has carried out; null where this one does not prove that. */
function asDone(result: OperationResult, operation?: Operation): OperationResult | null {
  const { key, args } = result.message ?? {};
  if (operation?.op === 'create') {
    const id = operation.body?.['id'] as string | undefined;
    const { id: existing, path } = (args ?? {}) as { id?: string; path?: string };
    if (key !== 'API_RESPONSE_ENTITY_EXISTS' || path !== 'id' || existing !== id?.toLowerCase())
      return null;
    return { status: 200, response: { id: existing } };
  }
  if (operation?.op === 'delete' && key === 'API_RESPONSE_ENTITY_NOT_FOUND')
    return { status: 200, response: { id: operation.id } };
  return null;
}

/**
 * The results of a batch of all or none that is refused because an earlier try was carried out: everything that fails in it
 * says so, and at least one create does.
 */
function doneBefore(
  { key, response }: Failure,
  operations: readonly Operation[],
): OperationResult[] | null {
  if (key !== 'API_RESPONSE_BATCH_FAILED') return null;
  const results = response['results'] as readonly OperationResult[];
  const done = results.map((result, at) => {
    const operation = operations[at];
    const proven = asDone(result, operation);
    if (proven || result.status !== 200) return proven;
    return operation?.op === 'create' ? null : result;
  });
  const isProven = operations.some(({ op }) => op === 'create');
  return isProven && done.every((result) => result !== null) ? done : null;
}
