/**
 * A page with a form for the holder of a token. The form sends the token in its body, and no log contains the page's
 * query.
 */
import type { Core } from '@strapi/strapi';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { ApiError } from '../../../../core/errors';
import type { FrontPage } from '../front';
import { mediaTypeOf } from '../http';
import { PAGE_HEADERS, type PageInputs } from './frame';

/** Bytes of a form. */
const MAX_BODY = 16 * 1024;

export interface PageAnswer {
  readonly status: number;
  readonly html: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FormPage {
  /** Changes nothing, because mail scanners follow links. */
  show(token: string): PageAnswer | Promise<PageAnswer>;
  submit(token: string, form: PageInputs): Promise<PageAnswer>;
  /** The HTML for a malformed form and for an unexpected error. */
  failed(): string;
}

/**
 * @param name the page's name in the log
 * @param pageFor gives the page for a query
 */
export const formPage =
  (
    { log }: Core.Strapi,
    name: string,
    pageFor: (query: URLSearchParams, req: IncomingMessage) => FormPage,
  ): FrontPage =>
  async (req, res, search) => {
    const query = new URLSearchParams(search);
    const page = pageFor(query, req);
    const { status, html, headers } = await answerOf(page, req, query).catch(
      (error: unknown): PageAnswer => {
        // The text of a database's error may contain what was typed.
        log.error(`${name}: ${error instanceof Error ? error.name : 'a failure'}`);
        return error instanceof ApiError && error.status === 503
          ? { status: 503, html: page.failed(), headers: error.headers }
          : { status: 500, html: page.failed() };
      },
    );
    res.writeHead(status, {
      ...PAGE_HEADERS,
      ...headers,
      'Content-Length': Buffer.byteLength(html),
    });
    res.end(req.method === 'HEAD' ? undefined : html);
  };

async function answerOf(
  page: FormPage,
  req: IncomingMessage,
  query: URLSearchParams,
): Promise<PageAnswer> {
  if (req.method === 'GET' || req.method === 'HEAD') return page.show(query.get('token') ?? '');
  if (req.method !== 'POST')
    return { status: 405, html: page.failed(), headers: { Allow: 'GET, HEAD, POST' } };
  const form = await formOf(req);
  if (form === null) return { status: 400, html: page.failed(), headers: { Connection: 'close' } };
  return page.submit(form['token'] ?? '', form);
}

/** The fields of a form; null for another body or one that is too long. A browser sends its length. */
async function formOf(req: IncomingMessage): Promise<PageInputs | null> {
  if (mediaTypeOf(req) !== 'application/x-www-form-urlencoded') return null;
  const length = Number(req.headers['content-length'] ?? NaN);
  if (!(length <= MAX_BODY)) return null;
  try {
    return Object.fromEntries(new URLSearchParams(await text(req)));
  } catch {
    return null;
  }
}
