/** The calls of a tag of the OpenAPI document as a page, with a form for each of them. */
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import { escaped } from '../../plugins/wire/server/pages/frame';
import { markdownHtml } from './markdown';
import { pascalCase } from '../openapi/envelope';
import { plainText, code, fieldsHtml, resolved, tableHtml, valueHtml } from './schema';

/** A call, and where it is. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly operation: JsonSchema;
}

/** Parameters of a call that are listed at once; of more there is a heading first. */
const MAX_LISTED = 12;

/** The calls of the document by their first tag. */
export function callsByTag(document: JsonSchema): ReadonlyMap<string, readonly Call[]> {
  const byTag = new Map<string, Call[]>();
  for (const [path, methods] of Object.entries(document['paths'] as Record<string, JsonSchema>))
    for (const [method, operation] of Object.entries(methods)) {
      const call = { method: method.toUpperCase(), path, operation: operation as JsonSchema };
      const [tag = ''] = call.operation['tags'] as readonly string[];
      byTag.set(tag, [...(byTag.get(tag) ?? []), call]);
    }
  return byTag;
}

export const operationId = ({ operation }: Call): string => String(operation['operationId']);

/** The call in a list of many, with a link to its description. */
export const callLine = (call: Call, page: string): readonly string[] => [
  `<a href="${page}#${operationId(call)}">${methodHtml(call)} ${code(call.path)}</a>`,
  escaped(String(call.operation['summary'])),
];

const methodHtml = ({ method }: Call): string => `<span class="method">${method}</span>`;

const json = (value: unknown): string =>
  `<pre tabindex="0"><code>${escaped(JSON.stringify(value, null, 2))}</code></pre>`;

const section = (title: string, html: string): string =>
  html === '' ? '' : `<h3>${title}</h3>${html}`;

/** A call: what it is for, what it takes and answers, and a form to try it. */
export function callHtml(document: JsonSchema, call: Call): string {
  const { path, operation } = call;
  const summary = escaped(String(operation['summary']));
  return `<section class="call" aria-labelledby="${operationId(call)}">
<h2 id="${operationId(call)}">${methodHtml(call)} ${code(path)}</h2>
<p class="summary">${summary}</p>
${markdownHtml(plainText(operation['description']))}
${section('Parameters', parametersHtml(document, call))}
${section('Body', bodyHtml(document, operation))}
${section('Answer', answerHtml(document, operation))}
${section('Refusals', refusalsHtml(document, operation))}
${tryHtml(document, call)}
</section>`;
}

const parametersOf = (document: JsonSchema, { operation }: Call): JsonSchema[] =>
  ((operation['parameters'] ?? []) as readonly unknown[]).map((one) => resolved(document, one));

function parametersHtml(document: JsonSchema, call: Call): string {
  const parameters = parametersOf(document, call);
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, in: place, required, schema, description }) => [
    `${code(String(name))} <small>${String(place)}${required === true ? ', required' : ''}</small>`,
    valueHtml(document, schema),
    markdownHtml(
      plainText(description ?? (place === 'query' ? fieldText(document, call, String(name)) : '')),
    ),
  ]);
  const table = tableHtml(['Parameter', 'Value', 'What it is'], rows);
  return rows.length <= MAX_LISTED
    ? table
    : `<details><summary>${rows.length} parameters</summary>${table}</details>`;
}

/** What a field of the type is: a filter by it has its name. */
function fieldText(document: JsonSchema, { operation }: Call, name: string): unknown {
  const [tag = ''] = operation['tags'] as readonly string[];
  const { schemas } = document['components'] as Readonly<Record<string, JsonSchema>>;
  const { properties } = resolved(document, schemas?.[pascalCase(tag)]);
  return resolved(document, (properties as JsonSchema | undefined)?.[name])['description'];
}

interface Content {
  readonly type: string;
  readonly schema: unknown;
  readonly example: unknown;
  /** The call that is answered so. */
  readonly sent: unknown;
}

/** The first media type of a body or an answer. */
function contentOf(described: JsonSchema | undefined): Content | null {
  const [first] = Object.entries((described?.['content'] ?? {}) as Record<string, JsonSchema>);
  if (!first) return null;
  const [type, { schema, example, examples }] = first;
  const demo = (examples as { demo?: JsonSchema } | undefined)?.demo;
  return { type, schema, example: example ?? demo?.['value'], sent: demo?.['summary'] };
}

function bodyHtml(document: JsonSchema, operation: JsonSchema): string {
  const content = contentOf(operation['requestBody'] as JsonSchema | undefined);
  if (!content) return '';
  const schema = resolved(document, content.schema);
  const required = new Set((schema['required'] ?? []) as readonly string[]);
  const properties = (schema['properties'] ?? {}) as JsonSchema;
  const count = Object.keys(properties).length;
  const fields = fieldsHtml(document, properties, required);
  const listed =
    count <= MAX_LISTED ? fields : `<details><summary>${count} fields</summary>${fields}</details>`;
  return `<p>${code(content.type)}</p>${content.example === undefined ? '' : json(content.example)}${count === 0 ? '' : listed}`;
}

function answerHtml(document: JsonSchema, operation: JsonSchema): string {
  const responses = operation['responses'] as Record<string, JsonSchema>;
  const content = contentOf(resolved(document, responses['200']));
  if (!content) return '';
  const { type, example, sent } = content;
  const call = typeof sent === 'string' ? `<p>To ${code(sent)}:</p>` : '';
  const shown =
    example === undefined
      ? ''
      : typeof example === 'string'
        ? `<pre tabindex="0"><code>${escaped(example)}</code></pre>`
        : json(example);
  return `<p>200, ${code(type)}</p>${call}${shown}${responseFields(document, content.schema)}`;
}

/** The fields of `response`. */
function responseFields(document: JsonSchema, schema: unknown): string {
  const envelope = resolved(document, schema);
  const response = resolved(
    document,
    (envelope['properties'] as JsonSchema | undefined)?.['response'],
  );
  const properties = (response['properties'] ?? {}) as JsonSchema;
  if (Object.keys(properties).length === 0) return '';
  return `<details><summary>Fields of ${code('response')}</summary>${fieldsHtml(document, properties)}</details>`;
}

/** The keys with which it may be refused, by status. */
function refusalsHtml(document: JsonSchema, operation: JsonSchema): string {
  const responses = Object.entries(operation['responses'] as Record<string, JsonSchema>);
  const items = responses.flatMap(([status, given]) => {
    if (status === '200' || status === 'default' || status === '304') return [];
    const keys = keysIn(document, contentOf(resolved(document, given))?.schema);
    return [`<li>${escaped(status)}: ${keys.map(keyHtml).join(', ')}</li>`];
  });
  const any = `<li>as every call: <a href="/docs/messages">the other keys</a></li>`;
  return `<ul>${items.join('')}${any}</ul>`;
}

const keyHtml = (key: string): string => `<a href="/docs/messages#${key}">${code(key)}</a>`;

function keysIn(document: JsonSchema, given: unknown): string[] {
  const schema = resolved(document, given);
  const each = (schema['anyOf'] ?? schema['oneOf']) as readonly unknown[] | undefined;
  if (each) return each.flatMap((one) => keysIn(document, one));
  const message = resolved(document, (schema['properties'] as JsonSchema | undefined)?.['message']);
  const key = resolved(document, (message['properties'] as JsonSchema | undefined)?.['key']);
  return typeof key['const'] === 'string' ? [key['const']] : ((key['enum'] ?? []) as string[]);
}

/** The form to try a call, which `public/docs/docs.js` sends. */
function tryHtml(document: JsonSchema, call: Call): string {
  const { method, path, operation } = call;
  const id = operationId(call);
  const input = (name: string, label: string, html: string): string =>
    `<p><label for="${id}-${name}">${label}</label>${html}</p>`;
  const text = (name: string, value = ''): string =>
    `<input id="${id}-${name}" name="${name}" value="${escaped(value)}" autocomplete="off" spellcheck="false">`;
  const parameters = parametersOf(document, call);
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const headers = parameters.flatMap(({ name, in: place }) =>
    place === 'header' ? [String(name)] : [],
  );
  const hasQuery = parameters.some(({ in: place }) => place === 'query');
  const body = contentOf(operation['requestBody'] as JsonSchema | undefined);
  const isForm = body?.type.startsWith('multipart/') ?? false;
  const example = JSON.stringify(body?.example ?? {}, null, 2);
  const query = isSearch(path) ? 'limit=5' : '';
  return `<details class="try"><summary>Try it</summary>
<form data-method="${method}" data-path="${escaped(path)}"${isForm ? ' data-multipart' : ''}>
${inPath.map((name) => input(`path-${name}`, code(name), text(`path-${name}`))).join('')}
${hasQuery ? input('query', 'Query', text('query', query)) : ''}
${headers.map((name) => input(`header-${name}`, code(name), text(`header-${name}`))).join('')}
${isForm ? input('file', 'File', `<input id="${id}-file" name="file" type="file" required>`) : ''}
${body ? input('body', isForm ? 'Further fields (JSON)' : 'Body (JSON)', `<textarea id="${id}-body" name="body" rows="8" spellcheck="false">${escaped(isForm ? '{}' : example)}</textarea>`) : ''}
${method === 'GET' ? '' : '<p>It is sent to this site, with your session: it really changes things.</p>'}
<button type="submit">Send</button>
</form>
<div class="result" role="status" aria-live="polite"></div>
</details>`;
}

const isSearch = (path: string): boolean => path.startsWith('/api/v0/search/');
