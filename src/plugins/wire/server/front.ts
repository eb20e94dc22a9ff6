/** What stands at the head of Strapi's chain: who answers a request. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isClosed, isOurs } from './closed-paths';
import { splitTarget } from './exchange';
import { answerHealth, isHealth, type Checks } from './health';
import { answer, type Surroundings } from './pipeline';
import type { PublicFiles } from './public-files';

export interface Front {
  readonly surroundings: Surroundings;
  readonly files: PublicFiles;
  readonly checks: Checks;
}

/**
 * Answers what is ours.
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
  return files(req, res, path) ? Promise.resolve() : undefined;
}
