/** Answers that several calls have are described once, with the example of one of them, and referred to. */
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import { ANSWERS, answerSchema, responseRef } from './envelope';
import { mapOperations, type Paths } from './share';

/** @returns the paths with references to the shared answers, and these by name */
export function shareResponses(paths: Paths): {
  readonly paths: Paths;
  readonly responses: Readonly<Record<string, JsonSchema>>;
} {
  const found = new Map<string, JsonSchema>();
  const names = new Map<string, string>();
  const shared = mapOperations(paths, (operation) => {
    const responses = Object.entries(
      operation['responses'] as Readonly<Record<string, JsonSchema>>,
    );
    const referring = responses.map(([status, response]) => {
      const name = nameOf(status, response);
      if (name === undefined) return [status, response];
      const text = JSON.stringify(withoutExample(response));
      // Another answer of this name differs in its headers.
      if ((names.get(name) ?? text) !== text) return [status, response];
      names.set(name, text);
      if (!found.has(name)) found.set(name, response);
      return [status, responseRef(name)];
    });
    return { ...operation, responses: Object.fromEntries(referring) as JsonSchema };
  });
  return { paths: shared, responses: Object.fromEntries(found) };
}

/** The name of an answer that several calls may have. */
function nameOf(status: string, { content }: JsonSchema): string | undefined {
  if (status === '304') return 'Unchanged';
  const described = withoutExample({ content })['content'];
  const text = JSON.stringify(described);
  return Object.entries(ANSWERS).find(
    ([, schema]) => JSON.stringify(answerSchema(schema)) === text,
  )?.[0];
}

/** An answer without its example, which is of one call. */
function withoutExample(response: JsonSchema): JsonSchema {
  const content = response['content'] as Readonly<Record<string, JsonSchema>> | undefined;
  if (!content) return response;
  const bare = Object.entries(content).map(([type, { schema }]) => [type, { schema }]);
  return { ...response, content: Object.fromEntries(bare) as JsonSchema };
}
