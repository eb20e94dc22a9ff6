/** What happens to a request under /api/v0, in the order of the contract's checks. */
import type { Caller } from '../../accounts/server/caller';
import type { Admission } from './admission';
import { WireError } from './errors';
import { createExchange, type Answer, type Exchange } from './exchange';
import type { PathRouter } from './router';
import type { Settings } from './settings';
import { body, Gone } from './stages/body';
import { hidden, refuse, succeed } from './stages/finish';
import { credentialsOf, origin, type Credentials } from './stages/origin';
import { route } from './stages/route';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** What the pipeline is given by the rest of the house. */
export interface Surroundings {
  readonly settings: Settings;
  readonly router: PathRouter;
  readonly admission: Admission;
  /** Who asks; what no session has is nobody. @throws WireError UNAVAILABLE */
  readonly identify: (credentials: Credentials) => Caller | Promise<Caller>;
  /** Whether the caller does this too often. @throws WireError TOO_MANY_REQUESTS */
  readonly limit: (exchange: Exchange) => void | Promise<void>;
  readonly log: Log;
}

export interface Log {
  /** One line per request, when its answer is out. */
  request(exchange: Exchange): void;
  /** What nobody has foreseen. */
  failure(exchange: Exchange, error: unknown): void;
}

type Outcome = Answer | void | Promise<Answer | void>;

interface Stage {
  readonly name: string;
  readonly run: (exchange: Exchange, surroundings: Surroundings) => Outcome;
}

/** The stages between `begin` and `finish`; the first that answers is the last. */
export const STAGES: readonly Stage[] = [
  { name: 'route', run: (exchange, { router }) => route(exchange, router) },
  {
    name: 'body',
    run: (exchange, { admission }) =>
      exchange.method === 'GET' ? undefined : body(exchange, admission),
  },
  { name: 'admission', run: (exchange, { admission }) => admission.enter(exchange) },
  { name: 'origin', run: (exchange, { settings }) => origin(exchange, settings) },
  { name: 'identify', run: identify },
  { name: 'limit', run: (exchange, { limit }) => limit(exchange) },
  { name: 'controller', run: (exchange) => exchange.route?.action(exchange) },
];

async function identify(
  exchange: Exchange,
  { identify: ask, settings }: Surroundings,
): Promise<void> {
  const credentials = credentialsOf(exchange, settings);
  exchange.caller = await ask(credentials);
  exchange.hasDeadCookie = credentials.cookie !== null && exchange.caller.session === null;
}

const noHost = (): WireError => new WireError('MALFORMED', {}, [], { Connection: 'close' });

/** Answers one request, whatever happens. */
export async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  surroundings: Surroundings,
): Promise<void> {
  const exchange = createExchange(req, res);
  res.once('close', () => surroundings.log.request(exchange));
  try {
    // RFC 9112, section 3.2. Node would refuse it by itself, without the envelope.
    if (req.headers.host === undefined && req.httpVersion === '1.1') throw noHost();
    succeed(exchange, await pass(exchange, surroundings), surroundings.settings);
  } catch (error) {
    if (error instanceof Gone) return void res.destroy();
    if (isFailure(error)) surroundings.log.failure(exchange, error);
    refuse(exchange, hidden(error), surroundings.settings);
  } finally {
    surroundings.admission.leave(exchange);
  }
}

/** Refuses a request that does not come to any stage. */
export function turnAway(
  req: IncomingMessage,
  res: ServerResponse,
  { settings, log }: Surroundings,
  error: WireError,
): void {
  const exchange = createExchange(req, res);
  res.once('close', () => log.request(exchange));
  refuse(exchange, error, settings);
}

/** Whether the operator is told more than the status; an overload has no cause but too many requests. */
const isFailure = (error: unknown): boolean =>
  !(error instanceof WireError) || (error.status >= 500 && error.cause !== undefined);

async function pass(exchange: Exchange, surroundings: Surroundings): Promise<Answer> {
  for (const stage of STAGES) {
    const outcome = stage.run(exchange, surroundings);
    const answered = outcome instanceof Promise ? await outcome : outcome;
    if (answered) return answered;
  }
  throw new WireError('PATH_NOT_FOUND');
}
