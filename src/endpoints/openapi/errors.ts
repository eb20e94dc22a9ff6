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

const RETRY_AFTER: JsonSchema = {
  'Retry-After': {
    required: true,
    schema: { type: 'integer', minimum: 1 },
    description: 'Seconds.',
  },
};

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

const response = (
  status: number,
  keys: readonly ErrorKey[],
  description = keys.map(textOf).join(' Or: '),
): JsonSchema => {
  const [first, ...others] = keys.map((key) => ref(errorName(key)));
  const schema = others.length === 0 ? first : anyOf([first ?? {}, ...others]);
  return {
    description,
    ...(LATER.has(status) ? { headers: RETRY_AFTER } : {}),
    content: { 'application/json': { schema } },
  };
};

/** Keys of requests to no known call; no call answers with them. */
const OF_NO_CALL: readonly ErrorKey[] = ['PATH_NOT_FOUND', 'METHOD_NOT_ALLOWED'];

interface Shared {
  readonly name: string;
  readonly response: JsonSchema;
}

const isSole = (key: ErrorKey): boolean =>
  errorKeys.filter((other) => ERRORS[other].status === ERRORS[key].status).length === 1;

/**
 * Responses that are the same for all calls, by status: statuses with only one key in the catalogue, and those of
 * Node's parser.
 */
const sharedByStatus = (): Map<number, Shared> =>
  new Map([
    ...errorKeys
      .filter((key) => isSole(key) && !OF_NO_CALL.includes(key))
      .map((key): [number, Shared] => {
        const { status } = ERRORS[key];
        return [status, { name: pascalCase(key), response: response(status, [key]) }];
      }),
    ...PARSER_STATUSES.map((status): [number, Shared] => {
      const text = STATUS_CODES[status] ?? '';
      const described = response(status, ['MALFORMED'], `${text}. The connection closes.`);
      return [status, { name: text.replaceAll(' ', ''), response: described }];
    }),
  ]);

/** The responses that are the same for every call, by name. */
export const sharedResponses = (): Record<string, JsonSchema> =>
  Object.fromEntries(
    [...sharedByStatus().values()].map((shared) => [shared.name, shared.response]),
  );

/** The responses of a call that may be refused with these keys, by status. */
export function refusals(keys: readonly ErrorKey[]): Record<string, JsonSchema> {
  const statuses = new Set([...keys.map((key) => ERRORS[key].status), ...PARSER_STATUSES]);
  const sharedOnes = sharedByStatus();
  const described = (status: number): JsonSchema => {
    const shared = sharedOnes.get(status);
    const ofStatus = keys.filter((key) => ERRORS[key].status === status);
    return shared ? { $ref: `#/components/responses/${shared.name}` } : response(status, ofStatus);
  };
  return Object.fromEntries(
    [...statuses].sort((a, b) => a - b).map((status) => [String(status), described(status)]),
  );
}
