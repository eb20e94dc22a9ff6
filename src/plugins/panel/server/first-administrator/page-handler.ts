/** Answers the page by which the first administrator is made. */
import type { Core } from '@strapi/strapi';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { malformed, ApiError } from '../../../../core/errors';
import { wireOf } from '../../../wire/server';
import { inspectJson } from '../../../../core/text';
import { FIRST_PATH, isFirstSecret, makeFirstAdministrator } from './first-administrator';
import { donePage, failedPage, formPage, noPage, PAGE_HEADERS, type Inputs } from './page';
import { faultsAt, textOf } from '../strapi-errors';

/** Bytes of the form. */
const MAX_BODY = 16 * 1024;

interface Page {
  readonly status: number;
  readonly html: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** At the head of Strapi's chain: none of its middlewares sees what is typed here. In `register`. */
export function addFirstPage(strapi: Core.Strapi): void {
  wireOf(strapi).addPage(FIRST_PATH, (req, res, search) =>
    answer(strapi, req, res, new URLSearchParams(search).get('token') ?? ''),
  );
}

async function answer(
  strapi: Core.Strapi,
  req: IncomingMessage,
  res: ServerResponse,
  token: string,
): Promise<void> {
  const page = await pageOf(strapi, req, token).catch((error: unknown): Page => {
    // The text of a database's error may hold what was typed.
    strapi.log.error(
      `the first administrator: ${error instanceof Error ? error.name : 'a failure'}`,
    );
    const isAway = error instanceof ApiError && error.status === 503;
    return { status: isAway ? 503 : 500, html: failedPage() };
  });
  res.writeHead(page.status, {
    ...PAGE_HEADERS,
    ...page.headers,
    'Content-Length': Buffer.byteLength(page.html),
  });
  res.end(req.method === 'HEAD' ? undefined : page.html);
}

const NO: Page = { status: 404, html: noPage() };

async function pageOf(strapi: Core.Strapi, req: IncomingMessage, token: string): Promise<Page> {
  if (req.method === 'POST') return submit(strapi, await formOf(req));
  if (req.method !== 'GET' && req.method !== 'HEAD')
    return { status: 405, html: failedPage(), headers: { Allow: 'GET, HEAD, POST' } };
  if (!(await isFirstSecret(strapi, token))) return NO;
  return { status: 200, html: formPage(FIRST_PATH, token, {}, {}) };
}

/** Null for what is no form, or a longer one than anybody types: a browser tells how long it is. */
async function formOf(req: IncomingMessage): Promise<Inputs | null> {
  const [type = ''] = (req.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded') return null;
  const length = Number(req.headers['content-length'] ?? NaN);
  if (!(length <= MAX_BODY)) return null;
  try {
    return Object.fromEntries(new URLSearchParams(await text(req)));
  } catch {
    return null;
  }
}

async function submit(strapi: Core.Strapi, form: Inputs | null): Promise<Page> {
  if (form === null) return { status: 400, html: failedPage(), headers: { Connection: 'close' } };
  const { token = '', name = '', email = '', password = '', password_again: again } = form;
  if (!(await isFirstSecret(strapi, token))) return NO;
  const refused = (faults: Inputs): Page => ({
    status: 400,
    html: formPage(FIRST_PATH, token, { name, email }, faults),
  });
  if (again !== password) return refused({ password_again: 'The two passwords differ.' });
  try {
    const forbidden = inspectJson({ name, email, password });
    if (forbidden.length > 0) throw malformed(forbidden);
    await makeFirstAdministrator(strapi, { name, email, password }, token);
    return { status: 200, html: donePage() };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    if (error.key === 'TOKEN_INVALID') return NO;
    return refused(error.invalid.length > 0 ? faultsAt({}, error.invalid) : { '': textOf(error) });
  }
}
