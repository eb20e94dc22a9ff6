/** The schemas of refusals, from the catalogue of errors: one per key, with the types of its arguments. */
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
import { extended, pascalCase, ref, whole } from './envelope';
import { refusalExamples } from './examples';

/** The English text of a key (without its prefix), with placeholders for the arguments. */
export const messageTemplate = (key: string, args: ArgShape): string =>
  messageText(
    KEY_PREFIX + key,
    Object.fromEntries(Object.keys(args).map((name) => [name, `{${name}}`])),
  )
    .replace('EXPECTED_{expected}', '{expected}')
    .replace('TYPE_{type}', '{type}');

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

const keySchema = (key: string): JsonSchema => ({ const: KEY_PREFIX + key });

/** One of these; not `oneOf`: that the key tells them apart is deeper in them than programs look. */
export const alternatives = (schemas: readonly JsonSchema[]): JsonSchema => ({ anyOf: schemas });

/** `message` of a success. */
export const successMessageSchema = (): JsonSchema => ({
  description:
    'What the user should be told of a success; `further` where it is more than one thing.',
  ...alternatives(
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

const MESSAGE: JsonSchema = {
  description: 'A text of `/locales` by its key, and what goes into it by name.',
  ...whole({ key: { type: 'string' }, args: {} }),
};

/** A refusal, whatever its key is. */
const envelope = (response: JsonSchema) =>
  whole({
    success: { type: 'boolean', const: false },
    response,
    transactionId: ref('TransactionId'),
    message: ref('Message'),
  });

const INVALID: JsonSchema = { type: 'array', minItems: 1, items: ref('Fault') };
const FAULTS: JsonSchema = { type: 'object', properties: { invalid: INVALID } };

/**
 * What the schemas of refusals extend. Each of them has `invalid`, so that a client can read it without knowing the key; only some
 * keys fill it.
 */
const ENVELOPES: Readonly<Record<string, JsonSchema>> = {
  Refusal: {
    description: 'The envelope of a refusal that says all by its key.',
    ...envelope({ ...NOTHING, ...FAULTS }),
  },
  RefusalWithFaults: {
    description: 'The envelope of a refusal that lists in `response.invalid` all that is wrong.',
    ...envelope({ ...FAULTS, required: ['invalid'] }),
  },
  RefusalMaybeWithFaults: {
    description: 'The same, where there may be nothing to list.',
    ...envelope(FAULTS),
  },
  RefusalOfBatch: {
    description: 'The envelope of a refusal with what came of each operation.',
    ...envelope(ref('BatchResults')),
  },
};

function envelopeName(key: ErrorKey): keyof typeof ENVELOPES {
  if (key === 'BATCH_FAILED') return 'RefusalOfBatch';
  const lists = LISTS[key];
  if (!lists) return 'Refusal';
  return lists === 'always' ? 'RefusalWithFaults' : 'RefusalMaybeWithFaults';
}

/** The name of a key's schema: `ENTITY_EXISTS` gives `EntityExistsError`. */
export const errorName = (key: ErrorKey): string =>
  `${pascalCase(key.replace(/_ERROR$/, ''))}Error`;

const errorKeys = Object.keys(ERRORS) as ErrorKey[];

function errorSchema(key: ErrorKey): JsonSchema {
  const { args, optional = {} }: ErrorEntry = ERRORS[key];
  return {
    description: refusalText(key),
    ...extended(envelopeName(key), {
      message: {
        required: ['key', 'args'],
        properties: { key: keySchema(key), args: argsSchema(args, optional) },
      },
    }),
    ...refusalExamples(key),
  };
}

/** Where something is wrong. */
const PLACE: JsonSchema = whole({
  path: { type: 'string', description: "The field's path in dots, the parameter, or the header." },
});

const faultSchema = ([key, args]: [string, ArgShape]): JsonSchema => ({
  description: messageTemplate(key, args),
  required: ['key', 'args'],
  properties: { key: keySchema(key), args: argsSchema(args) },
});

/** The schemas of all refusals by name. */
export const errorSchemas = (): Record<string, JsonSchema> => ({
  Expected: {
    type: 'string',
    enum: EXPECTED,
    description: 'What a value has to be; its text has the key `EXPECTED_` and this.',
  },
  Place: PLACE,
  Message: MESSAGE,
  ...ENVELOPES,
  Fault: {
    description: 'One thing that is wrong in a request.',
    allOf: [ref('Place'), alternatives(Object.entries(FIELD_ERRORS).map(faultSchema))],
  },
  ...Object.fromEntries(errorKeys.map((key) => [errorName(key), errorSchema(key)])),
  AnyError: {
    description:
      'Any refusal, those of paths and methods that this document does not have included.',
    ...alternatives(errorKeys.map((key) => ref(errorName(key)))),
  },
});

/** The English text of a refusal, with placeholders for the arguments. */
export const refusalText = (key: ErrorKey): string => messageTemplate(key, ERRORS[key].args);
