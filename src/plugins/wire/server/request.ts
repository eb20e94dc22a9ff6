/** A request under /api/v0, as it passes through the stages. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Caller } from '../../../core/caller';
import type { Args, ErrorKey, Issue } from '../../../core/errors';
import type { SuccessMessage } from '../../../core/notices';
import type { Soon } from '../../../core/soon';
import type { Intake } from './intake';
import { isUuid } from '../../../core/formats';

/** The answer of a controller; only `finish` writes it to the response. */
export interface Answer {
  /** The content of `response`: an object, or its JSON text. */
  readonly response?: object | string;
  /** The IDs that a search found, beside `response`. */
  readonly matches?: readonly string[];
  /** What the user should be told of a success. */
  readonly message?: SuccessMessage | undefined;
  /** A document outside the envelope, with its media type. */
  readonly raw?: { readonly text: string; readonly type: string };
  /** An answer that is bytes of this media type. */
  readonly bytes?: Bytes;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The secret of a new session, for the cookie; null deletes the cookie. */
  readonly cookie?: string | null;
}

export interface Bytes {
  readonly type: string;
  /** Null where it is not known before all of it has been sent. */
  readonly length: number | null;
  /** Null for a request for the headers alone. */
  readonly content: Buffer | Readable | null;
}

/** What a refusal says beside its status. */
export interface Refusal {
  readonly key: ErrorKey;
  readonly args: Args;
  readonly invalid: readonly Issue[];
  /** Of a bulk: what each of its changes would have been answered. */
  readonly results?: readonly object[];
}

/** The description of a route for the OpenAPI document; `endpoints/operations.ts` has its types. */
export interface Operation {
  readonly kind: string;
  /** Its body is a form with a file, which its controller reads (`form.ts`). */
  readonly isMultipart?: boolean;
  /** No page of a stranger's may send it, with a cookie or without. */
  readonly isGuarded?: boolean;
  /** It carries out many changes at once: its body may be larger, and few are under way at once. */
  readonly isBulk?: boolean;
  /** A caller whose session has ended may make it: it begins a session, ends one or asks for no account. */
  readonly isForEndedSessions?: boolean;
  /** What its description says beside what holds for all calls of its kind. */
  readonly about?: string;
  /** For a call that belongs to no type: it needs a login. */
  readonly needsLogin?: boolean;
}

/** A route as `src/api/<type>/routes` declares it, in Strapi's format. */
export interface RouteDeclaration {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path after `/api`: `/v0/encounter/:id`. */
  readonly path: string;
  /** `<controller>.<action>` of the same API. */
  readonly handler: string;
  readonly config: { readonly operation: Operation };
}

export interface Route extends RouteDeclaration {
  readonly action: (request: ApiRequest) => Soon<Answer>;
}

/** The path of a route, as it is documented: `/api/v0/encounter/{id}`. */
export const routePath = ({ path }: Pick<Route, 'path'>): string =>
  `/api${path.replace(/:(\w+)/g, '{$1}')}`;

/** Whether a request is counted among those under way; `waiting`: not now, while it waits for slow work. */
export type AdmissionPlace = 'none' | 'counted' | 'waiting' | 'left';

export interface ApiRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly method: string;
  /** The path without the query, as it was sent. */
  readonly path: string;
  /** The query after the `?`, as it was sent. */
  readonly search: string;
  readonly transactionId: string;
  /** `performance.now()` when the request arrived. */
  readonly startedAt: number;
  /** Set by the stages, in their order. */
  route: Route | null;
  params: Readonly<Record<string, string>>;
  query: ReadonlyMap<string, string>;
  body: unknown;
  caller: Caller | null;
  /** Whether the caller has a cookie that belongs to no session, and is answered as to anyone. */
  hasEndedSession: boolean;
  /** The request's share of the admission limits. */
  intake: Intake | null;
  place: AdmissionPlace;
}

/** The target of a request without scheme and host, which the absolute form of HTTP has. */
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

const NO_QUERY: ReadonlyMap<string, string> = new Map();

/** A new request; it takes over a valid `X-Transaction-Id` of the caller. */
export function createRequest(req: IncomingMessage, res: ServerResponse): ApiRequest {
  const given = req.headers['x-transaction-id'];
  const { path, search } = splitTarget(req.url ?? '/');
  return {
    req,
    res,
    method: req.method ?? 'GET',
    path,
    search,
    transactionId: typeof given === 'string' && isUuid(given) ? given.toLowerCase() : randomUUID(),
    startedAt: performance.now(),
    route: null,
    params: {},
    query: NO_QUERY,
    body: {},
    caller: null,
    hasEndedSession: false,
    intake: null,
    place: 'none',
  };
}
