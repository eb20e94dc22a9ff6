/** The pages for people who write a frontend: guides from the folder `docs`, and the calls of the OpenAPI document. */
import type { Core } from '@strapi/strapi';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import { escaped } from '../../plugins/wire/server/pages/frame';
import { pascalCase } from '../openapi/envelope';
import { describeApi } from '../openapi/document';
import { callHtml, callLine, callsByTag, operationId } from './calls';
import { markdownHtml, type LinkTarget } from './markdown';
import { plainText, fieldsHtml, resolved, tableHtml } from './schema';
import { textsHtml } from './texts';

export const START = '/docs';

/** Guides by their paths: the title in the list of pages, and the file in the folder `docs`. */
const GUIDES: Readonly<Record<string, readonly [title: string, file: string]>> = {
  [START]: ['Start here', 'start.md'],
  '/docs/search': ['Searching by example', 'search.md'],
  '/docs/privacy': ['Location privacy', 'privacy.md'],
  '/docs/permissions': ['Who may do what', 'permissions.md'],
  '/docs/frontends': ['Where a frontend may live', 'frontends.md'],
  '/docs/typescript': ['A typed client in TypeScript', 'typescript.md'],
  '/docs/clients': ['Clients in Python, R and curl', 'clients.md'],
  '/docs/versions': ['How versions change', 'versions.md'],
  '/docs/accounts': ['Accounts and sessions', 'accounts.md'],
  '/docs/photographs': ['Photographs', 'assets.md'],
  '/docs/review': ['Review', 'review.md'],
  '/docs/merging': ['Merging', 'merging.md'],
  '/docs/orgs': ['Orgs and collaborations', 'orgs-and-collaborations.md'],
  '/docs/batches': ['Many changes at once', 'batch.md'],
  '/docs/exports': ['Exports', 'export.md'],
  '/docs/settings': ['Site settings', 'site-settings.md'],
};

const MESSAGES = '/docs/messages';

const pageOfTag = (tag: string): string => `/docs/calls/${tag}`;

/** Where links of the files lead to here. */
const LINKS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(GUIDES).map(([path, [, file]]) => [file, path] as const),
  ['messages.md', MESSAGES],
  ['openapi.json', '/api/v0/openapi.json'],
]);

function linkTo(href: string): LinkTarget | null {
  if (href.startsWith('/')) return { href };
  const [file = '', heading] = href.split('#');
  const path = LINKS.get(file);
  if (path === undefined) return null;
  const [title = 'Messages and labels'] = GUIDES[path] ?? [];
  return { href: path + (heading === undefined ? '' : `#${heading}`), title };
}

/** Makes a page when it is first asked for. @returns its HTML */
type Make = () => string;

/** All pages by their paths. */
export function docsPages(strapi: Core.Strapi): ReadonlyMap<string, Make> {
  const { root } = strapi.dirs.app;
  let described: JsonSchema | null = null;
  const document = (): JsonSchema => (described ??= describeApi(strapi));
  const tags = (): readonly JsonSchema[] => document()['tags'] as readonly JsonSchema[];
  const frame = (path: string, title: string, body: string): string =>
    pageHtml(path, title, tags(), body);
  const guides = Object.entries(GUIDES).map(([path, [title, file]]): [string, Make] => [
    path,
    () => {
      const html = markdownHtml(readFileSync(join(root, 'docs', file), 'utf8'), linkTo);
      return frame(path, title, path === START ? html + allCalls(document()) : html);
    },
  ]);
  const calls = TAGS.map((tag): [string, Make] => [
    pageOfTag(tag),
    () => frame(pageOfTag(tag), `Calls: ${tag}`, tagHtml(document(), tag)),
  ]);
  const messages = (): string =>
    frame(MESSAGES, 'Messages and labels', `<h1>Messages and labels</h1>${textsHtml()}`);
  return new Map([...guides, [MESSAGES, messages], ...calls]);
}

/** The tags of the document: a test compares them. */
export const TAGS: readonly string[] = [
  ...['encounter', 'individual', 'taxonomy', 'asset', 'org', 'user', 'collaboration'],
  ...['authentication', 'site_settings', 'batch', 'history', 'openapi'],
];

/** What the document says of many calls, and every call in one line. */
function allCalls(document: JsonSchema): string {
  const { description } = document['info'] as JsonSchema;
  const byTag = callsByTag(document);
  const rows = TAGS.flatMap((tag) =>
    (byTag.get(tag) ?? []).map((call) => callLine(call, pageOfTag(tag))),
  );
  return `<h2 id="many-calls">What holds for many calls</h2>${markdownHtml(plainText(description))}
<h2 id="all-calls">All calls</h2>${tableHtml(['Call', 'What it does'], rows)}`;
}

/** The calls of a tag, and the fields of its objects. */
function tagHtml(document: JsonSchema, tag: string): string {
  const calls = callsByTag(document).get(tag) ?? [];
  const { description } =
    (document['tags'] as readonly JsonSchema[]).find(({ name }) => name === tag) ?? {};
  const contents = calls.map(
    (call) =>
      `<li><a href="#${operationId(call)}">${escaped(String(call.operation['summary']))}</a></li>`,
  );
  const fields = objectHtml(document, tag);
  return `<h1>${escaped(tag)}</h1>${markdownHtml(plainText(description))}
<ul>${contents.join('')}${fields === '' ? '' : '<li><a href="#fields">The fields</a></li>'}</ul>
${calls.map((call) => callHtml(document, call)).join('\n')}
${fields}`;
}

/** The fields of a type as they are read. */
function objectHtml(document: JsonSchema, tag: string): string {
  const { schemas } = document['components'] as Readonly<Record<string, JsonSchema>>;
  const name = pascalCase(tag);
  const schema = resolved(document, schemas?.[`${name}Part`] ?? schemas?.[name] ?? {});
  const properties = (schema['properties'] ?? {}) as JsonSchema;
  if (Object.keys(properties).length === 0) return '';
  const whole = schemas?.[name] as JsonSchema | undefined;
  return `<section><h2 id="fields">The fields of one ${escaped(tag.replaceAll('_', ' '))}</h2>
<p>Their labels in all languages are among the <a href="${MESSAGES}#labels">texts</a>.</p>
${markdownHtml(plainText(whole?.['description']))}
${fieldsHtml(document, properties)}</section>`;
}

const item = (path: string, current: string, title: string): string =>
  `<li><a href="${path}"${path === current ? ' aria-current="page"' : ''}>${escaped(title)}</a></li>`;

function pageHtml(path: string, title: string, tags: readonly JsonSchema[], body: string): string {
  const guides = Object.entries(GUIDES).map(([one, [name]]) => item(one, path, name));
  const calls = tags.length === 0 ? [] : TAGS.map((tag) => item(pageOfTag(tag), path, tag));
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} – Object Management Service</title>
<link rel="stylesheet" href="/docs/docs.css">
<script type="module" src="/docs/docs.js"></script>
</head>
<body>
<a class="skip" href="#main">To the content</a>
<header><a href="${START}">Object Management Service, /api/v0</a><div id="account"></div></header>
<div class="columns">
<nav aria-label="Pages"><details id="pages"><summary>All pages</summary>
<h2>Guides</h2><ul>${guides.join('')}${item(MESSAGES, path, 'Messages and labels')}</ul>
<h2>Calls</h2><ul>${calls.join('')}<li><a href="/api/v0/openapi.json">OpenAPI 3.1 document</a></li></ul>
</details></nav>
<main id="main" tabindex="-1">
${body}
</main>
</div>
</body>
</html>
`;
}
