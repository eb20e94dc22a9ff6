import { AnswerCache } from './cache.js';
import { clientFailure, isEnvelope } from './failure.js';

/** Sends a request. @param alive is called when bytes have moved, which begins the time for an answer anew */
export type Send = (request: Request, signal: AbortSignal, alive: () => void) => Promise<Response>;

export interface TransportOptions {
  readonly fetch: typeof fetch;
  /** Milliseconds without an answer after which a request fails. */
  readonly timeout: number;
  /** The secret of the session for each request; null where a cookie carries it, or without one. */
  readonly secret: () => string | null;
  /** An answer has told that the session ended. */
  readonly onEnded: () => void;
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
    const request = this.withSecret(given);
    const known = this.cache.ask(request);
    const { response, text } = await this.inTime(request, send);
    if (text === null) {
      if (response.status === 304 && known) return known.answer(response.headers);
      // Bytes are asked for by GET alone.
      if (!BODILESS.has(response.status) && (!response.ok || request.method !== 'GET'))
        throw clientFailure('CLIENT_NOT_UNDERSTOOD', { status: response.status });
      return response;
    }
    this.look(response, text);
    if (known && response.ok) this.cache.keep(known.key, response, text);
    return new Response(text, {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  }

  private readonly fetched: Send = (request, signal) => this.options.fetch(request, { signal });

  private withSecret(request: Request): Request {
    const secret = this.options.secret();
    if (secret !== null && !request.headers.has('Authorization'))
      request.headers.set('Authorization', `Bearer ${secret}`);
    return request;
  }

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

  /** @throws Failure CLIENT_NOT_UNDERSTOOD for what is not the service's */
  private look({ status, headers }: Response, text: string): void {
    let answer: unknown;
    try {
      answer = JSON.parse(text);
    } catch (error) {
      throw clientFailure('CLIENT_NOT_UNDERSTOOD', { status }, error);
    }
    const hasEnded =
      status === 401 && isEnvelope(answer) && answer.message?.key === 'API_RESPONSE_SESSION_ENDED';
    if (hasEnded || headers.get('X-Session') === 'ended') this.options.onEnded();
  }
}
