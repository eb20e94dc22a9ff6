/** The examples of calls: what the demo was sent and has answered. A test makes them, and compares them with the demo. */
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import { KEY_PREFIX, type ErrorKey } from '../../core/errors';
import examples from './examples.json';
import refusals from './refusal-examples.json';

interface Example {
  /** The call, where it has a query. */
  readonly call?: string;
  readonly body?: unknown;
  readonly answer?: unknown;
}

const EXAMPLES: Readonly<Record<string, Example>> = examples;

const REFUSALS: Readonly<Partial<Record<string, unknown>>> = refusals;

/** Of keys that the demo cannot be brought to: what is refused by a service that fails or is slow, and by very many taxa. */
const COMPOSED: Readonly<Partial<Record<ErrorKey, { args: object; invalid?: readonly object[] }>>> =
  {
    TOO_MANY_BELOW: {
      args: { max: 10_000 },
      invalid: [
        {
          path: 'parent',
          key: 'API_RESPONSE_TOO_LARGE',
          args: { value: 10_001, max: 10_000 },
        },
      ],
    },
    INTERNAL_ERROR: { args: {} },
    NOT_READY: { args: {} },
    SEARCH_TOO_SLOW: { args: {} },
    UNAVAILABLE: { args: {} },
  };

/** What a call that is refused with a key is answered, as examples of its schema. */
export function refusalExamples(key: ErrorKey): { readonly examples?: readonly unknown[] } {
  const composed = COMPOSED[key];
  if (!composed) return REFUSALS[key] === undefined ? {} : { examples: [REFUSALS[key]] };
  const { args, invalid } = composed;
  const example = {
    success: false,
    response: invalid ? { invalid } : {},
    transactionId: '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed',
    message: { key: KEY_PREFIX + key, args },
  };
  return { examples: [example] };
}

type Contents = Readonly<Record<string, JsonSchema>>;

/** The content of a body or an answer, with an example of its first media type. */
const withExample = (content: Contents, example: JsonSchema): Contents =>
  Object.fromEntries(
    Object.entries(content).map(([type, described], place) => [
      type,
      place === 0 ? { ...described, ...example } : described,
    ]),
  );

/** A call with its examples, if it has any. */
export function withExamples(call: JsonSchema): JsonSchema {
  const { call: sent, body, answer } = EXAMPLES[String(call['operationId'])] ?? {};
  const answered = sent
    ? { examples: { demo: { summary: sent, value: answer } } }
    : { example: answer };
  const responses = call['responses'] as Readonly<Record<string, JsonSchema>>;
  return {
    ...call,
    ...(body === undefined
      ? {}
      : { requestBody: exemplified(call['requestBody'] as JsonSchema, { example: body }) }),
    ...(answer === undefined
      ? {}
      : { responses: { ...responses, 200: exemplified(responses['200'] ?? {}, answered) } }),
  };
}

/** A body or an answer with its example. */
const exemplified = (described: JsonSchema, example: JsonSchema): JsonSchema => ({
  ...described,
  content: withExample(described['content'] as Contents, example),
});
