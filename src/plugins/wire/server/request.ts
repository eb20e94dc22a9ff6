/** One request under /api/v0 on its way through the stages. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Caller } from '../../../core/caller';
import type { Args, ErrorKey, Issue } from '../../../core/errors';
import type { Intake } from './intake';
import { isUuid } from '../../../core/formats';

/** What a controller answers; `finish` alone turns it into bytes. */
export interface Answer {
  /** The content of `response`: an object, or its JSON text. */
  readonly response?: object | string;
  /** Of a search: the IDs, beside `response`. */
  readonly matches?: readonly string[];
  /** An answer outside the envelope, as text of this media type. */
  readonly raw?: { readonly text: string; readonly type: string };
  /** An answer that is bytes of this media type. */
  readonly bytes?: Bytes;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The secret of a session that begins, for the cookie; null takes the cookie away. */
  readonly cookie?: string | null;
}

export interface Bytes {
  readonly type: string;
  readonly length: number;
  /** Null for who asks for the headers alone. */
  readonly content: Buffer | Readable | null;
}

/** What a refusal says beside its status. */
export interface Refusal {
  readonly key: ErrorKey;
  readonly args: Args;
  readonly invalid: readonly Issue[];
}

/** What a route does, for the OpenAPI document; `endpoints/operations.ts` knows the kinds. */
export interface Operation {
  readonly kind: string;
  /** Its body is a form with a file, which its controller reads (`form.ts`). */
  readonly isMultipart?: boolean;
  /** No page of a stranger's may send it, with a cookie or without. */
  readonly isGuarded?: boolean;
  /** Of a call that is none of a type's: it is nobody's without a login. */
  readonly needsLogin?: boolean;
}

/** A route as `src/api/<type>/routes` declares it, in Strapi's way. */
export interface RouteDeclaration {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Behind `/api`: `/v0/encounter/:id`. */
  readonly path: string;
  /** `<controller>.<action>` of the same API. */
  readonly handler: string;
  readonly config: { readonly operation: Operation };
}

export interface Route extends RouteDeclaration {
  readonly action: (request: ApiRequest) => Promise<Answer>;
}

export interface ApiRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly method: string;
  /** The path without the query, as it was sent. */
  readonly path: string;
  /** What stands behind the `?`, as it was sent. */
  readonly search: string;
  readonly transactionId: string;
  /** `performance.now()` at the beginning. */
  readonly startedAt: number;
  /** What the stages find out, each in its turn. */
  route: Route | null;
  params: Readonly<Record<string, string>>;
  query: ReadonlyMap<string, string>;
  body: unknown;
  caller: Caller | null;
  /** The cookie that was sent belongs to no session. */
  hasDeadCookie: boolean;
  /** What counts against the admission: the body, and whether it is under way. */
  intake: Intake | null;
  isAdmitted: boolean;
}

/** The target of a request without scheme and host: HTTP allows the absolute form too. */
function targetOf(url: string): string {
  if (url.startsWith('/')) return url;
  if (!URL.canParse(url)) return url;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** The path and the query of a request target. */
export function splitTarget(url: string): { path: string; search: string } {
  const target = targetOf(url);
  const mark = target.indexOf('?');
  return mark === -1
    ? { path: target, search: '' }
    : { path: target.slice(0, mark), search: target.slice(mark + 1) };
}

/** The request as it comes in; a valid `X-Transaction-Id` of the caller's is taken over. */
export function createRequest(req: IncomingMessage, res: ServerResponse): ApiRequest {
  const given = req.headers['x-transaction-id'];
  return {
    req,
    res,
    method: req.method ?? 'GET',
    ...splitTarget(req.url ?? '/'),
    transactionId: typeof given === 'string' && isUuid(given) ? given.toLowerCase() : randomUUID(),
    startedAt: performance.now(),
    route: null,
    params: {},
    query: new Map(),
    body: {},
    caller: null,
    hasDeadCookie: false,
    intake: null,
    isAdmitted: false,
  };
}
