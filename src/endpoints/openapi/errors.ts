/** The responses of refusals, from the catalogue of errors: one schema per key, with the types of its arguments. */
import { STATUS_CODES } from 'node:http';
import {
  ERRORS,
  EXPECTED,
  FIELD_ERRORS,
  KEY_PREFIX,
  type ArgShape,
  type ArgType,
  type ErrorEntry,
  type ErrorKey,
} from '../../core/errors';
import { NOTICES } from '../../core/notices';
import { messageText } from '../../core/messages';
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import { PARSER_STATUSES } from '../../plugins/wire/server/client-errors';
import { pascalCase, ref, whole } from './envelope';

/** The English text of a key (without its prefix), with placeholders for the arguments. */
export const messageTemplate = (key: string, args: ArgShape): string =>
  messageText(
    KEY_PREFIX + key,
    Object.fromEntries(Object.keys(args).map((name) => [name, `{${name}}`])),
  )
    .replace('EXPECTED_{expected}', '{expected}')
    .replace('TYPE_{type}', '{type}');

const RETRY_AFTER: JsonSchema = { 'Retry-After': { $ref: '#/components/headers/Retry-After' } };

/** Statuses with `Retry-After`. */
const LATER: ReadonlySet<number> = new Set([429, 503]);

const ARGS: Record<ArgType, JsonSchema> = {
  text: { type: 'string' },
  texts: { type: 'array', items: { type: 'string' } },
  number: { type: 'number' },
  'number or text': { type: ['number', 'string'] },
  token: ref('Expected'),
};

const NOTHING: JsonSchema = { type: 'object', maxProperties: 0 };

const argsSchema = (args: ArgShape, optional: ArgShape = {}): JsonSchema => {
  const all = Object.entries({ ...args, ...optional });
  if (all.length === 0) return NOTHING;
  return {
    type: 'object',
    required: Object.keys(args),
    properties: Object.fromEntries(all.map(([name, type]) => [name, ARGS[type]])),
  };
};

const keySchema = (key: string): JsonSchema => ({ type: 'string', const: KEY_PREFIX + key });

/** One of these; not `oneOf`: that the key tells them apart is deeper in them than programs look. */
const anyOf = (schemas: readonly JsonSchema[]): JsonSchema => ({ anyOf: schemas });

/** `message` of a success. */
export const successMessageSchema = (): JsonSchema => ({
  description:
    'What the user should be told of a success; `further` where it is more than one thing.',
  ...anyOf(
    Object.entries(NOTICES).map(([key, args]) => ({
      description: messageTemplate(key, args),
      type: 'object',
      required: ['key', 'args'],
      properties: {
        key: keySchema(key),
        args: argsSchema(args),
        further: { type: 'array', minItems: 1, items: ref('SuccessMessage') },
      },
    })),
  ),
});

/** What the description of a key says about `invalid`. */
const LISTS: Readonly<Partial<Record<ErrorKey, 'always' | 'sometimes'>>> = {
  // A request that HTTP itself does not allow has no issues.
  MALFORMED: 'sometimes',
  ENTITY_EXISTS: 'always',
  // Of a deletion, it is the object itself; of a change, what it takes away.
  IN_USE: 'sometimes',
  TOO_MANY_BELOW: 'always',
  FIELD_NOT_PERMITTED: 'always',
  PASSWORD_WRONG: 'always',
};

/**
 * Every refusal's schema has `invalid`, so that a client can read it without knowing the key; only some keys fill it.
 */
function responseSchema(key: ErrorKey): JsonSchema {
  if (key === 'BATCH_FAILED') return ref('BatchResults');
  const lists = LISTS[key];
  const invalid = { type: 'array', minItems: 1, items: ref('Fault') };
  if (!lists) return { ...NOTHING, properties: { invalid } };
  return {
    type: 'object',
    ...(lists === 'always' ? { required: ['invalid'] } : {}),
    properties: { invalid: { ...invalid, description: 'All that is wrong.' } },
  };
}

/** The name of a key's schema: `ENTITY_EXISTS` gives `EntityExistsError`. */
const errorName = (key: ErrorKey): string => `${pascalCase(key.replace(/_ERROR$/, ''))}Error`;

const errorKeys = Object.keys(ERRORS) as ErrorKey[];

function errorSchema(key: ErrorKey): JsonSchema {
  const { args, optional = {} }: ErrorEntry = ERRORS[key];
  return {
    description: textOf(key),
    ...whole({
      success: { type: 'boolean', const: false },
      response: responseSchema(key),
      transactionId: ref('TransactionId'),
      message: whole({ key: keySchema(key), args: argsSchema(args, optional) }),
    }),
  };
}

function faultSchema([key, args]: [string, ArgShape]): JsonSchema {
  return {
    description: messageTemplate(key, args),
    ...whole({
      path: {
        type: 'string',
        description: "The field's path in dots, the parameter, or the header.",
      },
      key: keySchema(key),
      args: argsSchema(args),
    }),
  };
}

/** The schemas of all refusals by name. */
export const errorSchemas = (): Record<string, JsonSchema> => ({
  Expected: {
    type: 'string',
    enum: EXPECTED,
    description: 'What a value has to be; its text has the key `EXPECTED_` and this.',
  },
  Fault: {
    description: 'One thing that is wrong in a request.',
    ...anyOf(Object.entries(FIELD_ERRORS).map(faultSchema)),
  },
  ...Object.fromEntries(errorKeys.map((key) => [errorName(key), errorSchema(key)])),
  AnyError: {
    description:
      'Any refusal, those of paths and methods that this document does not have included.',
    ...anyOf(errorKeys.map((key) => ref(errorName(key)))),
  },
});

const textOf = (key: ErrorKey): string => messageTemplate(key, ERRORS[key].args);

const response = (status: number, keys: readonly ErrorKey[]): JsonSchema => {
  const [first, ...others] = keys.map((key) => ref(errorName(key)));
  const schema = others.length === 0 ? first : anyOf([first ?? {}, ...others]);
  return {
    description: keys.map(textOf).join(' Or: '),
    ...(LATER.has(status) ? { headers: RETRY_AFTER } : {}),
    content: { 'application/json': { schema } },
  };
};

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

const statusAndText = (key: ErrorKey): [number, string] => [ERRORS[key].status, textOf(key)];

/** `default` of calls; its description names the statuses. */
function generalResponse({ keys }: General): JsonSchema {
  const ofParser = PARSER_STATUSES.map((status): [number, string] => [
    status,
    `${STATUS_CODES[status] ?? ''}.`,
  ]);
  const told = [...keys.map(statusAndText), ...ofParser].sort(([a], [b]) => a - b);
  return {
    description: `What such a call may be refused with, whatever it asks for. ${told.map(([status, text]) => `${status}: ${text}`).join(' ')} 429 and 503 have \`Retry-After\`.`,
    content: {
      'application/json': { schema: anyOf(keys.map((key) => ref(errorName(key)))) },
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

/** `MALFORMED` and `ENTITY_EXISTS` give `MalformedOrEntityExists`. */
const responseName = (keys: readonly ErrorKey[]): string => keys.map(pascalCase).join('Or');

/** The responses by which calls may be refused, by name: calls with the same keys refer to the same one. */
export const sharedResponses = (calls: readonly CallRefusals[]): Record<string, JsonSchema> =>
  Object.fromEntries(
    calls.flatMap((call) => [
      [call.general.name, generalResponse(call.general)],
      ...ownStatuses(call).map((status) => {
        const keys = keysOf(call.keys, status);
        return [responseName(keys), response(status, keys)];
      }),
    ]),
  ) as Record<string, JsonSchema>;

/** The responses of a call that may be refused with these keys, by status. */
export const refusalResponses = (call: CallRefusals): Record<string, JsonSchema> => ({
  ...Object.fromEntries(
    ownStatuses(call).map((status) => [
      String(status),
      sharedRef(responseName(keysOf(call.keys, status))),
    ]),
  ),
  default: sharedRef(call.general.name),
});

/** A response that calls refer to. */
const sharedRef = (name: string): JsonSchema => ({ $ref: `#/components/responses/${name}` });
