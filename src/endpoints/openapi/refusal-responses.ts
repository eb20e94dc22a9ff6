/** The responses by which calls are refused: each is described once, and the calls refer to it. */
import { STATUS_CODES } from 'node:http';
import { ERRORS, type ErrorKey } from '../../core/errors';
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import { PARSER_STATUSES } from '../../plugins/wire/server/client-errors';
import { pascalCase, ref, responseRef } from './envelope';
import { alternatives, errorName } from './errors';

/** What all calls of one kind may be refused with, told once: `default` of each of them. */
export interface General {
  /** The name of the response. */
  readonly name: string;
  readonly keys: readonly ErrorKey[];
}

/** The keys of a call, and those among them that are told as `default`. */
export interface CallRefusals {
  readonly keys: readonly ErrorKey[];
  readonly general: General;
}

export interface Refusals {
  /** The responses by name. */
  readonly responses: Readonly<Record<string, JsonSchema>>;
  /** Those of a call, by status. */
  responsesOf(call: CallRefusals): Record<string, JsonSchema>;
}

/** @param calls the keys of all calls */
export function describeRefusals(calls: readonly CallRefusals[]): Refusals {
  const names = namesOf(calls);
  const nameOf = (call: CallRefusals, status: number): string =>
    names.get(keysOf(call.keys, status).join()) ?? '';
  const told = calls.flatMap((call): [string, JsonSchema][] => [
    [call.general.name, generalResponse(call.general)],
    ...ownStatuses(call).map((status): [string, JsonSchema] => [
      nameOf(call, status),
      response(status, keysOf(call.keys, status)),
    ]),
  ]);
  return {
    responses: Object.fromEntries(told),
    responsesOf: (call) => ({
      ...Object.fromEntries(
        ownStatuses(call).map((status) => [String(status), responseRef(nameOf(call, status))]),
      ),
      default: responseRef(call.general.name),
    }),
  };
}

/**
 * The names of the responses by their keys: those that are the calls' own, `MalformedOrEntityExists`, and all of them where
 * that is the name of another response already, which more calls have.
 */
function namesOf(calls: readonly CallRefusals[]): Map<string, string> {
  const uses = new Map<string, { own: string; all: string; count: number }>();
  for (const call of calls)
    for (const status of ownStatuses(call)) {
      const all = keysOf(call.keys, status);
      const own = all.filter((key) => !call.general.keys.includes(key));
      const [short, long] = [own.length > 0 ? own : all, all].map(responseName);
      const use = uses.get(all.join()) ?? { own: short ?? '', all: long ?? '', count: 0 };
      uses.set(all.join(), { ...use, count: use.count + 1 });
    }
  const names = new Map<string, string>();
  const byUse = [...uses].sort(([, a], [, b]) => b.count - a.count);
  for (const [keys, { own, all }] of byUse) {
    const taken = new Set(names.values());
    const free = [own, all].find((name) => !taken.has(name));
    names.set(keys, free ?? `${all}Alone`);
  }
  return names;
}

const responseName = (keys: readonly ErrorKey[]): string => keys.map(pascalCase).join('Or');

const RETRY_AFTER: JsonSchema = { 'Retry-After': { $ref: '#/components/headers/Retry-After' } };

/** Statuses with `Retry-After`. */
const LATER: ReadonlySet<number> = new Set([429, 503]);

function response(status: number, keys: readonly ErrorKey[]): JsonSchema {
  const [first, ...others] = keys.map((key) => ref(errorName(key)));
  const schema = others.length === 0 ? first : alternatives([first ?? {}, ...others]);
  return {
    description: `${keys.map((key) => `\`${key}\``).join(' or ')}.`,
    ...(LATER.has(status) ? { headers: RETRY_AFTER } : {}),
    content: { 'application/json': { schema } },
  };
}

/** `default` of calls; its description names the statuses. */
function generalResponse({ keys }: General): JsonSchema {
  const ofParser = PARSER_STATUSES.map((status): [number, string] => [
    status,
    `${STATUS_CODES[status] ?? ''}.`,
  ]);
  const ofKeys = keys.map((key): [number, string] => [ERRORS[key].status, `\`${key}\`.`]);
  const told = [...ofKeys, ...ofParser].sort(([a], [b]) => a - b);
  return {
    description: `What such a call may be refused with, whatever it asks for. ${told.map(([status, text]) => `${status}: ${text}`).join(' ')} 429 and 503 have \`Retry-After\`.`,
    content: {
      'application/json': { schema: alternatives(keys.map((key) => ref(errorName(key)))) },
    },
  };
}

/** The statuses that are told with a call: those of keys that not every such call may be refused with. */
function ownStatuses({ keys, general }: CallRefusals): number[] {
  const own = keys.filter((key) => !general.keys.includes(key)).map((key) => ERRORS[key].status);
  const statuses = [...new Set(own)].sort((a, b) => a - b);
  return statuses.some((status) => status < 500)
    ? statuses
    : [ERRORS.MALFORMED.status, ...statuses];
}

/** All keys of one status, which is not told by `default` then. */
const keysOf = (keys: readonly ErrorKey[], status: number): ErrorKey[] =>
  keys.filter((key) => ERRORS[key].status === status);
