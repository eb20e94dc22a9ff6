/** The schemas of the OpenAPI document as tables for readers. */
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import { escaped } from '../../plugins/wire/server/pages/frame';
import { markdownHtml } from './markdown';

/** The values at which a list of choices ends. */
const MAX_CHOICES = 24;

/** A value of the document as a text; empty for what is none. */
export const plainText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';

export const code = (text: string): string => `<code>${escaped(text)}</code>`;

/** A table that may be wider than a small screen. */
export const tableHtml = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<div class="wide" tabindex="0"><table><thead><tr>${head.map((text) => `<th scope="col">${text}</th>`).join('')}</tr></thead>
<tbody>${rows.map(([first = '', ...rest]) => `<tr><th scope="row">${first}</th>${rest.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')}</tbody></table></div>`;

/** What of the document a reference points to, with what that extends. */
export function resolved(document: JsonSchema, given: unknown): JsonSchema {
  let found = (given ?? {}) as JsonSchema;
  while (typeof found['$ref'] === 'string')
    found = found['$ref']
      .replace(/^#\//, '')
      .split('/')
      .reduce<unknown>((parent, name) => (parent as JsonSchema)[name], document) as JsonSchema;
  const { allOf, ...own } = found;
  return Array.isArray(allOf) ? extending(document, allOf, own) : found;
}

/** A schema with the properties of those that it extends; of a property that both have, what it says itself counts. */
function extending(document: JsonSchema, bases: readonly unknown[], own: JsonSchema): JsonSchema {
  const all = [...bases.map((base) => resolved(document, base)), own];
  const properties: Record<string, unknown> = {};
  for (const one of all)
    for (const [name, property] of Object.entries((one['properties'] ?? {}) as JsonSchema))
      properties[name] =
        name in properties
          ? { ...resolved(document, properties[name]), ...resolved(document, property) }
          : property;
  const required = all.flatMap((one) => (one['required'] ?? []) as readonly string[]);
  return { ...(Object.assign({}, ...all) as JsonSchema), properties, required };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** What a value may be, in words. @returns HTML */
export function valueHtml(document: JsonSchema, given: unknown): string {
  const schema = resolved(document, given);
  const others = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])];
  if (others.length > 0) {
    const texts = others.map((one) => valueHtml(document, one)).filter((text) => text !== '');
    return [...new Set(texts)].join(' or ');
  }
  const { items, enum: choices, properties } = schema;
  if (schema['const'] !== undefined) return code(JSON.stringify(schema['const']));
  if (Array.isArray(choices)) return choicesHtml(choices);
  if (items !== undefined) return `list of ${valueHtml(document, items)}`;
  const types = [schema['type']]
    .flat()
    .map(plainText)
    .filter((type) => type !== '');
  const names = Object.keys(properties ?? {});
  const members = names.length > 0 ? ` of ${names.map(code).join(', ')}` : '';
  return [types.join(' or ') + members, ...boundsOf(schema)]
    .filter((text) => text !== '')
    .join(', ');
}

function choicesHtml(choices: readonly unknown[]): string {
  const shown = choices
    .slice(0, MAX_CHOICES)
    .map((one) => code(one === null ? 'null' : plainText(one)));
  const left = choices.length - shown.length;
  return `${shown.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

function boundsOf(schema: JsonSchema): string[] {
  const said = (name: string, text: (value: string) => string): string[] =>
    schema[name] === undefined ? [] : [text(escaped(plainText(schema[name])))];
  return [
    ...said('format', (format) => format),
    ...said('minimum', (least) => `from ${least}`),
    ...said('maximum', (most) => `to ${most}`),
    ...said('minLength', (least) => `${least} characters or more`),
    ...said('maxLength', (most) => `at most ${most} characters`),
    ...said('maxItems', (most) => `at most ${most}`),
  ];
}

/** What a field is, and what there is to say of it here beside. */
function descriptionOf(document: JsonSchema, given: JsonSchema): string {
  const own = plainText(given['description']);
  const ofField = [given, ...(listOf(given['anyOf']) as readonly JsonSchema[])].find((one) =>
    plainText(one['$ref']).includes('/properties/'),
  );
  if (ofField === undefined && own !== '') return own;
  const field = plainText(resolved(document, ofField ?? given)['description']);
  return [field, own].filter((text) => text !== '').join(' ');
}

/** The fields of an object. @param required those that have to be there */
export function fieldsHtml(
  document: JsonSchema,
  properties: JsonSchema,
  required: ReadonlySet<string> = new Set(),
): string {
  const rows = Object.entries(properties).map(([name, given]) => {
    const needed = required.has(name) ? ' <strong>required</strong>' : '';
    return [
      `${code(name)}${needed}`,
      valueHtml(document, given),
      markdownHtml(descriptionOf(document, given as JsonSchema)),
    ];
  });
  return tableHtml(['Field', 'Value', 'What it is'], rows);
}
