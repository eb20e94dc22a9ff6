import createFetchClient, { type Client as FetchClient } from 'openapi-fetch';
import type { paths } from './api.js';
import { clientFailure, failureOf, isEnvelope, nameOf, refusalOf } from './failure.js';
import { Transport, type Send, type Session } from './transport.js';
import type { Schemas } from './types.js';

export interface ClientOptions {
  /** Where the service is, such as `https://oms.example.org`; empty for the page's own origin. */
  readonly baseUrl: string;
  /**
   * What carries the session: the browser's `cookie` (the default) for a frontend on the same site as the service, `bearer`
   * for one on another site, and for any other program.
   */
  readonly session?: 'cookie' | 'bearer';
  /** The secret of a session that was begun earlier, with `bearer`. */
  readonly secret?: string;
  /**
   * Called once when an answer tells that the session has ended (`API_RESPONSE_SESSION_ENDED`, or the header `X-Session` of a
   * read that anybody may do). Every change is refused until `logIn` or `logOut`: nothing is done in nobody's name.
   */
  readonly onSessionEnded?: () => void;
  /** Milliseconds without an answer after which a call fails with `CLIENT_NO_ANSWER`; by default 30,000. */
  readonly timeout?: number;
  /** In place of the global `fetch`; uploads of a page go by `XMLHttpRequest`. */
  readonly fetch?: typeof fetch;
}

/** What openapi-fetch resolves to. */
interface Settled {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

/** The data that a call resolves to. */
type DataOf<R extends Settled> = Exclude<R['data'], undefined>;

/** A connection to a service, with a session or without one. */
export class Client {
  /** Every call of the service, typed by its path: openapi-fetch, which resolves to `data` or `error`. */
  readonly http: FetchClient<paths>;
  readonly baseUrl: string;
  /** The global `fetch`, or the one in its place. */
  readonly fetch: typeof fetch;
  private session: Session;
  private ended: Session | null = null;
  private readonly transport: Transport;

  constructor(private readonly options: ClientOptions) {
    this.baseUrl = options.baseUrl.replace(/\/$/, '');
    this.session = { secret: options.secret ?? null };
    this.fetch = options.fetch ?? ((...given) => globalThis.fetch(...given));
    this.transport = new Transport({
      fetch: this.fetch,
      timeout: options.timeout ?? 30_000,
      session: () => this.session,
      onEnded: (session) => this.end(session),
    });
    this.http = createFetchClient<paths>({
      baseUrl: this.baseUrl,
      credentials: this.hasBearer ? 'omit' : 'include',
      fetch: (request) => this.transport.send(request),
      // Lists have commas between, and the parameters `not`, `range` and `custom_fields` are one for each property.
      querySerializer: {
        array: { style: 'form', explode: false },
        object: { style: 'form', explode: true },
      },
    });
  }

  /** The secret of the session, for a program that keeps it; null with a cookie, and without a session. */
  get sessionSecret(): string | null {
    return this.session.secret;
  }

  /**
   * The answer to a call of `http`: its envelope.
   *
   * @throws Failure for a refusal, and where no answer came
   */
  readonly answerTo = async <R extends Settled>(call: Promise<R>): Promise<DataOf<R>> => {
    const { data, error, response } = await call.catch((reason: unknown) => {
      // A page in place of an answer.
      throw nameOf(reason) === 'SyntaxError'
        ? clientFailure('CLIENT_NOT_UNDERSTOOD', {}, reason)
        : failureOf(reason);
    });
    if (isEnvelope(data)) return data as DataOf<R>;
    if (isEnvelope(error)) throw refusalOf(error, response.status, response.headers);
    throw clientFailure('CLIENT_NOT_UNDERSTOOD', { status: response.status });
  };

  /**
   * Begins a session, and ends the one that was there.
   *
   * @param username the e-mail or the user name
   * @throws Failure such as API_RESPONSE_LOGIN_FAILED
   */
  async logIn(username: string, password: string): Promise<Schemas['User']> {
    const body = { username, password };
    const { response } = await this.answerTo(this.http.POST('/api/v0/login', { body }));
    this.begin(response.cookie);
    return response.user;
  }

  /** Ends the session; one that has ended already too. @throws Failure, with the session as it was */
  async logOut(): Promise<void> {
    await this.answerTo(this.http.POST('/api/v0/logout', { body: {} }));
    this.begin(null);
  }

  /** Who is logged in, and what it may do; null for nobody. @throws Failure, also when the session has ended */
  async whoAmI(): Promise<{ user: Schemas['User']; may: SessionRights } | null> {
    try {
      return (await this.answerTo(this.http.GET('/api/v0/session'))).response;
    } catch (error) {
      if (failureOf(error).key === 'API_RESPONSE_LOGIN_REQUIRED') return null;
      throw error;
    }
  }

  /** The same service, for nobody. */
  withoutSession(): Client {
    return new Client({ ...this.options, session: 'bearer', secret: undefined });
  }

  /** `fetch` for one call of `http`, which sends its request in another way. */
  sending(send: Send): (request: Request) => Promise<Response> {
    return (request) => this.transport.send(request, send);
  }

  private get hasBearer(): boolean {
    return this.options.session === 'bearer' || this.options.secret !== undefined;
  }

  private begin(secret: string | null): void {
    this.session = { secret: this.hasBearer ? secret : null };
    this.transport.cache.clear();
  }

  private end(session: Session): void {
    // An answer that comes after the next login tells of the session before.
    if (session !== this.session || session === this.ended) return;
    this.ended = session;
    this.transport.cache.clear();
    this.options.onSessionEnded?.();
  }
}

type SessionRights =
  paths['/api/v0/session']['get']['responses'][200]['content']['application/json']['response']['may'];

/** Connects to a service. */
export const createClient = (options: ClientOptions): Client => new Client(options);
