/** The stages of a request under /api/v0, in the order of the contract's checks. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Identity } from '../../../core/caller';
import { ApiError } from '../../../core/errors';
import { hashOfSecret } from '../../../core/secret';
import type { Networks } from './address';
import type { Admission } from './admission';
import { createRequest, type Answer, type ApiRequest } from './request';
import type { PathRouter } from './router';
import type { Settings } from './settings';
import { body, Gone } from './stages/body';
import { hidden, refuse, succeed } from './stages/finish';
import { credentialsOf, origin, type Credentials } from './stages/origin';
import { route } from './stages/route';

/** What other plugins provide to the pipeline. */
export interface Surroundings {
  readonly settings: Settings;
  readonly router: PathRouter;
  readonly admission: Admission;
  /** Bytes of the largest file that may be uploaded now. */
  readonly maxUpload: () => number;
  readonly networks: Networks;
  /** The caller of a request; anonymous without a valid session. @throws ApiError UNAVAILABLE */
  readonly identify: (credentials: Credentials) => Identity | Promise<Identity>;
  /** Refuses a caller who needs a login for this call. @throws ApiError LOGIN_REQUIRED */
  readonly admit: (request: ApiRequest) => void;
  /** Counts the call towards the caller's limits. @throws ApiError TOO_MANY_REQUESTS */
  readonly limit: (request: ApiRequest) => void | Promise<void>;
  readonly log: Log;
}

export interface Log {
  /** Logs a request, after its answer has been sent. */
  request(request: ApiRequest): void;
  /** Logs a request from an origin that is not allowed: the browser does not show the answer to the page. */
  foreignOrigin(request: ApiRequest, origin: string): void;
  /** Logs an unexpected error. */
  failure(request: ApiRequest, error: unknown): void;
}

type Outcome = Answer | void | Promise<Answer | void>;

interface Stage {
  readonly name: string;
  readonly run: (request: ApiRequest, surroundings: Surroundings) => Outcome;
}

/** The stages between `begin` and `finish`; the first that answers ends the sequence. */
export const STAGES: readonly Stage[] = [
  { name: 'route', run: (request, { router }) => route(request, router) },
  {
    name: 'body',
    run: (request, { admission, maxUpload }) =>
      request.method === 'GET' || request.method === 'HEAD'
        ? undefined
        : body(request, admission, maxUpload),
  },
  { name: 'admission', run: (request, { admission }) => admission.enter(request) },
  { name: 'origin', run: (request, { settings }) => origin(request, settings) },
  { name: 'identify', run: identify },
  { name: 'login', run: (request, { admit }) => admit(request) },
  { name: 'limit', run: (request, { limit }) => limit(request) },
  { name: 'controller', run: (request) => request.route?.action(request) },
];

/** The hashes of the claims of a request: of the one in `X-Claim`. */
function claimsOf({ req }: ApiRequest): readonly string[] {
  const given = req.headers['x-claim'];
  const hash = typeof given === 'string' ? hashOfSecret(given.trim()) : null;
  return hash === null ? [] : [hash];
}

function identify(request: ApiRequest, surroundings: Surroundings): void | Promise<void> {
  const credentials = credentialsOf(request, surroundings.settings);
  const asked = surroundings.identify(credentials);
  const accept = (identity: Identity): void =>
    setCaller(request, identity, credentials, surroundings);
  return asked instanceof Promise ? asked.then(accept) : accept(asked);
}

function setCaller(
  request: ApiRequest,
  { role, id, session, actor }: Identity,
  credentials: Credentials,
  { networks, admission }: Surroundings,
): void {
  const network = networks.networkOf(request.req);
  const wait = <T>(work: Promise<T>): Promise<T> => admission.leaveWhile(request, work);
  request.caller = { role, id, session, actor, claims: claimsOf(request), network, wait };
  request.hasDeadCookie = credentials.cookie !== null && session === null;
}

/** Answers a request. Does not throw. */
export async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  surroundings: Surroundings,
): Promise<void> {
  const request = createRequest(req, res);
  res.once('close', () => surroundings.log.request(request));
  tellForeignOrigin(request, surroundings);
  try {
    succeed(request, await pass(request, surroundings), surroundings.settings);
  } catch (error) {
    if (error instanceof Gone) return void res.destroy();
    if (isFailure(error)) surroundings.log.failure(request, error);
    refuse(request, hidden(error), surroundings.settings);
  } finally {
    surroundings.admission.leave(request);
  }
}

/** Refuses a request before the first stage. */
export function turnAway(
  req: IncomingMessage,
  res: ServerResponse,
  surroundings: Surroundings,
  error: ApiError,
): void {
  const request = createRequest(req, res);
  res.once('close', () => surroundings.log.request(request));
  tellForeignOrigin(request, surroundings);
  refuse(request, error, surroundings.settings);
}

function tellForeignOrigin(request: ApiRequest, { settings, log }: Surroundings): void {
  const { origin: from, 'sec-fetch-site': site } = request.req.headers;
  if (from === undefined || site === 'same-origin' || settings.allowsOrigin(from)) return;
  log.foreignOrigin(request, from);
}

/** Whether an error is logged beside the request: not a refusal, and not an overload, which is a 503 without a cause. */
const isFailure = (error: unknown): boolean =>
  !(error instanceof ApiError) || (error.status >= 500 && error.cause !== undefined);

async function pass(request: ApiRequest, surroundings: Surroundings): Promise<Answer> {
  for (const stage of STAGES) {
    const outcome = stage.run(request, surroundings);
    const answered = outcome instanceof Promise ? await outcome : outcome;
    if (answered) return answered;
  }
  throw new ApiError('PATH_NOT_FOUND');
}
