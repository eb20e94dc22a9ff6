import { AnswerCache } from './cache.js';
import { clientFailure, isEnvelope } from './failure.js';

/** Sends a request. @param alive is called when bytes have moved, which begins the time for an answer anew */
export type Send = (request: Request, signal: AbortSignal, alive: () => void) => Promise<Response>;

export interface Session {
  /** Null where a cookie carries it, and without one. */
  readonly secret: string | null;
}

export interface TransportOptions {
  readonly fetch: typeof fetch;
  /** Milliseconds without an answer after which a request fails. */
  readonly timeout: number;
  /** The session as it is now, which is another object after each login and logout. */
  readonly session: () => Session;
  /** An answer to a request of this session has told that it ended. */
  readonly onEnded: (session: Session) => void;
}

/** Answers without a body, for which none may be given. */
const BODILESS = new Set([204, 304]);

/**
 * What every request passes: session, time limit, known answers, and what the way does to an answer. An answer of the
 * service in JSON is read completely here, so that one that breaks off is none.
 */
export class Transport {
  readonly cache = new AnswerCache();

  constructor(private readonly options: TransportOptions) {}

  /** @throws Failure of the way; a refusal is an answer like any other */
  async send(given: Request, send: Send = this.fetched): Promise<Response> {
    const session = this.options.session();
    const request = withSecret(given, session);
    const known = this.cache.ask(request);
    const { response, text } = await this.inTime(request, send);
    if (text === null) {
      if (response.status === 304 && known) return known.answer(response.headers);
      // Bytes are asked for by GET alone.
      if (!BODILESS.has(response.status) && (!response.ok || request.method !== 'GET'))
        throw clientFailure('CLIENT_NOT_UNDERSTOOD', { status: response.status });
      return response;
    }
    if (hasEnded(response, text)) this.options.onEnded(session);
    if (known && response.ok) this.cache.keep(known.key, response, text);
    return new Response(text, {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  }

  private readonly fetched: Send = (request, signal) => this.options.fetch(request, { signal });

  /** The answer, with its text if it is JSON. */
  private async inTime(
    request: Request,
    send: Send,
  ): Promise<{ response: Response; text: string | null }> {
    const limit = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const alive = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => limit.abort(), this.options.timeout);
    };
    alive();
    try {
      const signal = AbortSignal.any([request.signal, limit.signal]);
      const response = await send(request, signal, alive);
      const isJson = /\bjson\b/.test(response.headers.get('Content-Type') ?? '');
      return { response, text: isJson ? await response.text() : null };
    } catch (error) {
      throw clientFailure(
        request.signal.aborted ? 'CLIENT_CANCELED' : 'CLIENT_NO_ANSWER',
        {},
        error,
      );
    } finally {
      clearTimeout(timer);
    }
  }
}

function withSecret(request: Request, { secret }: Session): Request {
  if (secret !== null && !request.headers.has('Authorization'))
    request.headers.set('Authorization', `Bearer ${secret}`);
  return request;
}

/** Whether an answer tells that the session has ended. @throws Failure CLIENT_NOT_UNDERSTOOD for what is not JSON */
function hasEnded({ status, headers }: Response, text: string): boolean {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (error) {
    throw clientFailure('CLIENT_NOT_UNDERSTOOD', { status }, error);
  }
  const key = isEnvelope(answer) ? answer.message?.key : undefined;
  return key === 'API_RESPONSE_SESSION_ENDED' || headers.get('X-Session') === 'ended';
}
