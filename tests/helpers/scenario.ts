import type { Role } from '#app/core/caller';
import { authorizationOf, openToRoles } from './callers';
import type { Answer, Request } from './http';
import { asObject, at, parsed, type Json } from './json';
import { expectUnchanged, snapshot } from './snapshot';
import type { TestService } from './service';
import { settle } from './settle';
import { story, type Step } from './story';
import type { World } from './world';

/** One fault: the path, the key without its prefix, and the arguments where they matter. */
export type Fault = readonly [path: string, key: string, args?: Json];

/** The expected answer. Header names are in lower case; null stands for an absent header. */
export interface Expectation {
  readonly status: number;
  /** Of the message, without its prefix. */
  readonly key?: string;
  /** Arguments of the message, among others. */
  readonly args?: Json;
  /** All faults, in any order. */
  readonly invalid?: readonly Fault[];
  /** What `response` holds, among others. */
  readonly response?: Json;
  readonly headers?: Readonly<Record<string, string | RegExp | null>>;
}

/** A request and its expected answer, as data. */
export interface Scenario extends Request {
  readonly name: string;
  /** The role of the caller; by default that of the service's requests without a login. */
  readonly as?: Role;
  readonly expect: Expectation;
  /** Texts that occur nowhere in the answer. */
  readonly never?: readonly string[];
  /** Nothing is written. Implied for a refusal and for a request that only reads. */
  readonly unchanged?: true;
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Runs a table, a test for each row. */
export function runScenarios(world: () => World, scenarios: readonly Scenario[]): void {
  test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
    '%s',
    async (_, scenario) => {
      await play(world(), scenario);
    },
  );
}

/** Runs a table whose rows build on each other, as one test in which each row is a step. */
export function runStory(world: () => World, name: string, scenarios: readonly Scenario[]): void {
  story(name, stepsOf(world, scenarios));
}

/** The rows of a table as steps of a story, in which there are others, too. */
export const stepsOf = (world: () => World, scenarios: readonly Scenario[]): Step[] =>
  scenarios.map((one) => [one.name, () => play(world(), one)]);

/** Lets work in the background end that earlier changes have left: it would go on beside the request. */
async function settleIfAny(service: TestService): Promise<void> {
  if (await service.strapi.db.connection('oms_privacy_jobs').first('kind')) await settle(service);
}

/** Sends the request of a scenario and compares the answer. */
export async function play(world: World, scenario: Scenario): Promise<Answer> {
  const { method, expect: expected, never = [], unchanged } = scenario;
  if (scenario.as !== undefined) await openToRoles(world.service);
  const isStill = unchanged === true || expected.status >= 300 || READS.has(method);
  if (isStill) await settleIfAny(world.service);
  const before = isStill ? await snapshot(world.service) : undefined;
  const answer = await world.send(withCaller(scenario));
  expect(outcome(answer, expected)).toEqual(wanted(expected));
  if (expected.response) {
    expect(at(parsed(answer.text), 'response')).toMatchObject(expected.response);
  }
  checkHeaders(answer, expected.headers ?? {});
  const whole = JSON.stringify(answer.headers) + answer.text;
  for (const text of never) expect(whole).not.toContain(text);
  if (before) await expectUnchanged(world.service, before);
  return answer;
}

function withCaller({ as, ...request }: Scenario): Request {
  if (as === undefined) return request;
  return { ...request, headers: { ...authorizationOf(as), ...request.headers } };
}

const prefixed = (key: string): string => `API_RESPONSE_${key}`;

/** The parts of an answer that are compared as a whole, so that a failure shows all of them. */
function outcome({ status, text }: Answer, { key, args, invalid }: Expectation): Json {
  const body = parsed(text);
  const message = asObject(at(body, 'message'));
  return {
    status,
    ...(key === undefined && status < 400 ? {} : { key: message['key'] }),
    ...(args === undefined ? {} : { args: message['args'] }),
    ...(invalid === undefined && at(body, 'response', 'invalid') === undefined
      ? {}
      : { invalid: foundFaults(body, invalid ?? []) }),
  };
}

function wanted({ status, key, args, invalid }: Expectation): Json {
  return {
    status,
    ...(key === undefined ? {} : { key: prefixed(key) }),
    ...(args === undefined ? {} : { args: expect.objectContaining(args) as unknown }),
    ...(invalid === undefined
      ? {}
      : {
          invalid: invalid
            .map(([path, kind, told]) => faultText(path, prefixed(kind), told))
            .sort(),
        }),
  };
}

const faultText = (path: string, key: string, args?: unknown): string =>
  `${path}: ${key}${args === undefined ? '' : ` ${JSON.stringify(sorted(args))}`}`;

/** The faults of an answer, with their arguments where the scenario names those. */
function foundFaults(body: unknown, expected: readonly Fault[]): string[] {
  const found = at(body, 'response', 'invalid');
  if (!Array.isArray(found)) return ['the answer lists no faults'];
  return found
    .map(asObject)
    .map(({ path, key, args }) => {
      const match = expected.find(([at, kind]) => at === path && prefixed(kind) === key);
      return faultText(String(path), String(key), match?.[2] === undefined ? undefined : args);
    })
    .sort();
}

const sorted = (value: unknown): unknown =>
  Object.fromEntries(Object.entries(asObject(value)).sort(([a], [b]) => (a < b ? -1 : 1)));

function checkHeaders({ headers }: Answer, expected: NonNullable<Expectation['headers']>): void {
  for (const [name, value] of Object.entries(expected)) {
    const given = headers[name];
    if (value === null) expect({ [name]: given }).toEqual({ [name]: undefined });
    else if (typeof value === 'string') expect({ [name]: given }).toEqual({ [name]: value });
    else
      expect({ [name]: String(given) }).toEqual({ [name]: expect.stringMatching(value) as string });
  }
}
