/**
 * What a client of the released interface would notice of a new one, by their OpenAPI documents: what is removed, what is no
 * longer accepted, and what may be answered that could not be before. What is new is listed apart: `v0` may gain it.
 */
import { asObject, at, type Json } from './json';
import { parametersOf, resolve } from './openapi';
import {
  alternativesOf,
  flat,
  NARROWING,
  nameOfAlternative,
  typesOf,
  valuesOf,
} from './schema-parts';

export interface Changes {
  /** Sentences that name the call and the place. */
  readonly breaking: readonly string[];
  /** The names of calls, parameters, fields and message keys that are new. */
  readonly added: readonly string[];
}

/** One side of a comparison. */
interface Side {
  readonly document: Json;
  readonly schema: unknown;
}

/** What `v0` may gain at any time, beside what is new: values of these are names of something else that is new. */
export const MAY_GAIN: Readonly<Record<string, string>> = {
  permissions: 'the names of further calls',
  expected: 'tokens of messages, each with its text',
  key: 'message keys, each with its text',
};

/** @param released the document that clients know; @param present the new one */
export function changesOf(released: Json, present: Json): Changes {
  const breaking = new Set<string>();
  const added = new Set<string>();
  const seen = new Set<string>();

  const report = (where: string, what: string): void => void breaking.add(`${where} ${what}`);

  function comparePaths(): void {
    const [before, after] = [asObject(released['paths']), asObject(present['paths'])];
    for (const [path, methods] of Object.entries(before))
      for (const [method, operation] of Object.entries(asObject(methods))) {
        const name = `${method.toUpperCase()} ${path}`;
        const now = at(after, path, method);
        if (now === undefined) report(name, 'is removed');
        else compareOperation(name, asObject(operation), asObject(now));
      }
    for (const [path, methods] of Object.entries(after))
      for (const method of Object.keys(asObject(methods)))
        if (at(before, path, method) === undefined) added.add(path);
  }

  function compareOperation(name: string, before: Json, after: Json): void {
    compareParameters(name, before, after);
    const [sent, taken] = [before, after].map((one) => asObject(one['requestBody']));
    if (sent?.['required'] !== true && taken?.['required'] === true) report(name, 'needs a body');
    compareContents(`${name} body`, sent, taken, compareSent);
    compareResponses(name, asObject(before['responses']), asObject(after['responses']));
  }

  function compareParameters(name: string, before: Json, after: Json): void {
    const keyOf = (parameter: Json): string =>
      `${String(parameter['in'])} ${String(parameter['name'])}`;
    const [known, now] = [
      parametersOf(released, before),
      new Map(parametersOf(present, after).map((parameter) => [keyOf(parameter), parameter])),
    ];
    for (const parameter of known) {
      const where = `${name} ${keyOf(parameter)}`;
      const same = now.get(keyOf(parameter)) ?? derivedParameter([...now.values()], parameter);
      now.delete(keyOf(parameter));
      if (!same) report(where, 'is removed');
      else {
        if (parameter['required'] !== true && same['required'] === true)
          report(where, 'is required');
        compareSent(where, sideOf(released, parameter), sideOf(present, same));
      }
    }
    for (const [key, parameter] of now) {
      added.add(String(parameter['name']));
      if (parameter['required'] === true) report(`${name} ${key}`, 'is required');
    }
  }

  const sideOf = (document: Json, holder: unknown): Side => ({
    document,
    schema: at(holder, 'schema'),
  });

  function compareContents(
    where: string,
    before: unknown,
    after: unknown,
    compare: (where: string, before: Side, after: Side) => void,
  ): void {
    for (const [type, described] of Object.entries(asObject(at(before, 'content')))) {
      const now = at(after, 'content', type);
      if (now === undefined) report(where, `is no longer ${type}`);
      else compare(where, sideOf(released, described), sideOf(present, now));
    }
  }

  function compareResponses(name: string, before: Json, after: Json): void {
    for (const [status, described] of Object.entries(before)) {
      const where = `${name} ${status}`;
      const [known, now] = [resolve(released, described), resolve(present, after[status])];
      // Refusals are compared by their keys.
      if (!(Number(status) < 400)) continue;
      if (after[status] === undefined) report(where, 'is no longer answered');
      else {
        for (const header of Object.keys(asObject(known['headers'])))
          if (at(now, 'headers', header) === undefined) report(`${where} ${header}`, 'is removed');
        compareContents(where, known, now, compareAnswered);
      }
    }
    for (const status of Object.keys(after))
      if (Number(status) < 400 && before[status] === undefined)
        report(`${name} ${status}`, 'is a further success');
  }

  /** What was accepted still is. */
  function compareSent(where: string, before: Side, after: Side): void {
    const pair = unseen('sent', before, after);
    if (!pair) return;
    const [known, now] = pair;
    if (known['anyOf'] ?? now['anyOf']) {
      compareAlternatives(where, 'is no longer accepted as', before, after, compareSent);
      return;
    }
    for (const type of typesOf(known))
      if (!accepts(typesOf(now), type)) report(where, `may no longer be ${type}`);
    const allowed = valuesOf(now);
    if (allowed && !valuesOf(known)) report(where, 'is limited to some values');
    for (const value of valuesOf(known) ?? [])
      if (allowed && !allowed.includes(value)) report(where, `may no longer be ${value}`);
    for (const [keyword, isNarrower] of Object.entries(NARROWING))
      if (isNarrower(known[keyword], now[keyword])) report(where, `has a narrower ${keyword}`);
    // Any name was accepted before.
    if (now['patternProperties'] && !known['patternProperties'] && !known['properties'])
      report(where, 'has narrower patternProperties');
    for (const name of requiredOf(now))
      if (!requiredOf(known).has(name)) report(`${where} ${name}`, 'is required');
    compareProperties(where, known, now, { before, after, compare: compareSent });
  }

  /** What may be answered could be before. */
  function compareAnswered(where: string, before: Side, after: Side): void {
    const pair = unseen('answered', before, after);
    if (!pair) return;
    const [known, now] = pair;
    if (known['anyOf'] ?? now['anyOf']) {
      compareAlternatives(where, 'may be', after, before, (place, one, other) =>
        compareAnswered(place, other, one),
      );
      return;
    }
    for (const type of typesOf(now))
      if (!accepts(typesOf(known), type)) report(where, `may be ${type}`);
    const values = valuesOf(known);
    const isOpen = Object.keys(MAY_GAIN).some((name) =>
      new RegExp(` ${name}( \\[\\])?$`).test(where),
    );
    if (values && !valuesOf(now)) report(where, 'may have any value');
    for (const value of valuesOf(now) ?? [])
      if (values && !values.includes(value)) {
        if (isOpen) added.add(value);
        else report(where, `may be ${value}`);
      }
    for (const name of requiredOf(known))
      if (at(now, 'properties', name) !== undefined && !requiredOf(now).has(name))
        report(`${where} ${name}`, 'may be absent');
    compareProperties(where, known, now, { before, after, compare: compareAnswered });
  }

  /** Each alternative of the one side is an alternative of the other, or is told by its name. */
  function compareAlternatives(
    where: string,
    what: string,
    narrow: Side,
    wide: Side,
    compare: (where: string, narrow: Side, wide: Side) => void,
  ): void {
    const others = alternativesOf(wide.document, wide.schema);
    for (const schema of alternativesOf(narrow.document, narrow.schema)) {
      const name = nameOfAlternative(narrow.document, schema);
      const same = others.find((other) => nameOfAlternative(wide.document, other) === name);
      if (same) compare(where, { ...narrow, schema }, { ...wide, schema: same });
      else if (name.startsWith('API_RESPONSE_')) added.add(name);
      else report(where, `${what} ${name}`);
    }
  }

  function compareProperties(
    where: string,
    known: Json,
    now: Json,
    {
      before,
      after,
      compare,
    }: { before: Side; after: Side; compare: (where: string, before: Side, after: Side) => void },
  ): void {
    const inside = (place: string, one: unknown, other: unknown): void =>
      compare(place, { ...before, schema: one }, { ...after, schema: other });
    const properties = asObject(now['properties']);
    const patterns = asObject(now['patternProperties']);
    for (const [name, schema] of Object.entries(asObject(known['properties']))) {
      const same = properties[name] ?? patternFor(patterns, name);
      if (same === undefined) report(`${where} ${name}`, 'is removed');
      else inside(`${where} ${name}`, schema, same);
    }
    for (const [pattern, schema] of Object.entries(asObject(known['patternProperties']))) {
      if (patterns[pattern] === undefined) report(`${where} ${pattern}`, 'is removed');
      else inside(`${where} ${pattern}`, schema, patterns[pattern]);
    }
    for (const name of Object.keys(properties))
      if (at(known, 'properties', name) === undefined) added.add(name);
    if (known['items'] && now['items']) inside(`${where} []`, known['items'], now['items']);
    const further = [known, now].map((schema) => schema['additionalProperties']);
    if (typeof further[0] === 'object' && typeof further[1] === 'object')
      inside(`${where} *`, further[0], further[1]);
  }

  /** Both schemas with what they refer to; null where this pair has been compared at another place. */
  function unseen(direction: string, before: Side, after: Side): [Json, Json] | null {
    const refs = [before, after].flatMap(({ schema }) => {
      const ref = at(schema, '$ref');
      return typeof ref === 'string' ? [ref] : [];
    });
    if (refs.length === 2) {
      const key = [direction, ...refs].join(' ');
      if (seen.has(key)) return null;
      seen.add(key);
    }
    return [flat(before.document, before.schema), flat(after.document, after.schema)];
  }

  comparePaths();
  const errors = (document: Json): Side => ({
    document,
    schema: { $ref: '#/components/schemas/AnyError' },
  });
  compareAnswered('a refusal', errors(released), errors(present));
  return { breaking: [...breaking].sort(), added: [...added].sort() };
}

/** A parameter whose name is one that another describes by a pattern. */
function derivedParameter(parameters: readonly Json[], { name, in: place }: Json): Json | null {
  for (const parameter of parameters) {
    const patterns = asObject(at(parameter, 'schema', 'patternProperties'));
    const schema = parameter['in'] === place ? patternFor(patterns, String(name)) : undefined;
    if (schema !== undefined) return { name, in: place, schema };
  }
  return null;
}

/** What a name is where a pattern allows it. */
const patternFor = (patterns: Json, name: string): unknown =>
  Object.entries(patterns).find(([pattern]) => new RegExp(pattern).test(name))?.[1];

const requiredOf = (schema: Json): ReadonlySet<string> =>
  new Set((schema['required'] as readonly string[] | undefined) ?? []);

/** An integer is a number. Without a type, anything is accepted. */
const accepts = (types: readonly string[], type: string): boolean =>
  types.length === 0 || types.includes(type) || (type === 'integer' && types.includes('number'));
