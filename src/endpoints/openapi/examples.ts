/** The examples of calls: what the demo was sent and has answered. A test makes them, and compares them with the demo. */
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import examples from './examples.json';

interface Example {
  /** The call, where it has a query. */
  readonly call?: string;
  readonly body?: unknown;
  readonly answer?: unknown;
}

const EXAMPLES: Readonly<Record<string, Example>> = examples;

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
