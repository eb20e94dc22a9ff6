/** In front of Strapi: decides what answers a request. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { ApiError } from '../../../core/errors';
import type { Soon } from '../../../core/soon';
import { overloaded } from './admission';
import { isClosed, isOurs } from './closed-paths';
import { foreignRefusal } from './foreign';
import { answerHealth, isHealth, type Checks } from './health';
import type { Measures } from './log';
import { answer, turnAway, type Surroundings } from './pipeline';
import type { PublicFiles } from './public-files';
import { splitTarget } from './request';

/** A page of the service's own, outside the interface. */
export type FrontPage = (
  req: IncomingMessage,
  res: ServerResponse,
  search: string,
) => Promise<void>;

/** What answers a request: this service, now or later, or Strapi. */
type Answering = Soon<void> | typeof BY_STRAPI;
const BY_STRAPI = Symbol('by Strapi');

export interface Front {
  readonly surroundings: Surroundings;
  readonly files: PublicFiles;
  readonly checks: Checks;
  /** By their paths. */
  readonly pages: ReadonlyMap<string, FrontPage>;
  readonly measures: Measures | null;
}

/**
 * Asks first whether a request is answered here; only others reach the server's present listeners, which are Strapi's.
 * Koa and Strapi's context of a request take a tenth of the time of a small answer.
 *
 * @param passOn calls what has a request answered by those listeners
 * @param report is told of what should not happen: an answer that fails
 */
export function putInFront(
  server: Server,
  answerHere: (req: IncomingMessage, res: ServerResponse) => Answering,
  passOn: (req: IncomingMessage, res: ServerResponse, answer: () => void) => void,
  report: (error: unknown) => void,
): void {
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  const giveUp = (res: ServerResponse, error: unknown): void => {
    report(error);
    res.destroy();
  };
  server.on('request', (req, res) => {
    try {
      const answered = answerHere(req, res);
      if (answered === BY_STRAPI)
        passOn(req, res, () => {
          for (const listener of listeners) listener.call(server, req, res);
        });
      else if (answered) answered.catch((error: unknown) => giveUp(res, error));
    } catch (error) {
      giveUp(res, error);
    }
  });
}

/** Answers our own paths, and refuses what must not reach Strapi, which answers the panel and its routes. */
export function answerFront(
  req: IncomingMessage,
  res: ServerResponse,
  { surroundings, files, checks, pages, measures }: Front,
): Answering {
  const target = req.url ?? '/';
  const { path, search } = splitTarget(target);
  if (!hasOneHost(req)) return turnAway(req, res, surroundings, noHost());
  if (!checks.release() && !isHealth(path)) return turnAway(req, res, surroundings, outdated());
  if (isOurs(path)) return answer(req, res, surroundings);
  if (isHealth(path)) return answerHealth(req, res, path, checks);
  if (isClosed(target)) return answer(req, res, surroundings);
  const page = pages.get(path);
  if (page) return page(req, res, search);
  if (files(req, res, path)) return;
  const refusal =
    foreignRefusal(req, surroundings.settings) ??
    (surroundings.admission.admitsForeign(req, res) ? null : overloaded());
  if (refusal) return turnAway(req, res, surroundings, refusal);
  measures?.foreign(res, performance.now());
  return BY_STRAPI;
}

/**
 * Whether there is exactly one `Host` (RFC 9112, section 3.2; optional in HTTP/1.0). Node would use the first of
 * several.
 */
function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}

const noHost = (): ApiError => new ApiError('MALFORMED', {}, [], { Connection: 'close' });

/** Another server, or the one that replaces this one, answers soon. */
const outdated = (): ApiError => overloaded({ Connection: 'close', 'Retry-After': '5' });

/** Refuses a request to any path and ends the connection. */
export const refuseFront = (
  req: IncomingMessage,
  res: ServerResponse,
  { surroundings }: Front,
): void => turnAway(req, res, surroundings, overloaded({ Connection: 'close' }));
