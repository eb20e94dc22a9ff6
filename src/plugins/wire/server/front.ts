/** What stands at the head of Strapi's chain: who answers a request. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { overloaded } from './admission';
import { isClosed, isOurs } from './closed-paths';
import { splitTarget } from './exchange';
import { answerHealth, isHealth, type Checks } from './health';
import { answer, turnAway, type Surroundings } from './pipeline';
import type { PublicFiles } from './public-files';

export interface Front {
  readonly surroundings: Surroundings;
  readonly files: PublicFiles;
  readonly checks: Checks;
}

/**
 * Answers what is ours, and what Strapi has no room for.
 *
 * @returns undefined for what Strapi answers: the panel and its routes
 */
export function answerFront(
  req: IncomingMessage,
  res: ServerResponse,
  { surroundings, files, checks }: Front,
): Promise<void> | undefined {
  const target = req.url ?? '/';
  const { path } = splitTarget(target);
  if (isHealth(path)) return answerHealth(req, res, path, checks);
  if (isOurs(path) || isClosed(target)) return answer(req, res, surroundings);
  if (files(req, res, path)) return Promise.resolve();
  if (surroundings.admission.admitsForeign(req, res)) return undefined;
  return Promise.resolve(turnAway(req, res, surroundings, overloaded()));
}

/** Refuses a request, whoever would answer it, and ends the connection. */
export const refuseFront = (
  req: IncomingMessage,
  res: ServerResponse,
  { surroundings }: Front,
): void => turnAway(req, res, surroundings, overloaded({ Connection: 'close' }));
