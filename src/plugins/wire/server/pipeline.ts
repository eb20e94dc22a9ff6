/** The stages of a request under /api/v0, in the order of the contract's checks. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller, Identity } from '../../../core/caller';
import { ApiError, malformed, type ErrorKey } from '../../../core/errors';
import { hashOfSecret } from '../../../core/secret';
import { andThen, isLater, type Soon } from '../../../core/soon';
import { inspectJson } from '../../../core/text';
import type { Networks } from './address';
import type { RequestAdmission } from './admission';
import { createRequest, type Answer, type ApiRequest } from './request';
import type { PathRouter } from './router';
import type { Settings } from './settings';
import { body, Gone } from './stages/body';
import { hidden, refuse, succeed } from './stages/finish';
import { refuseEnded, revealEnd } from './stages/ended-session';
import { credentialsOf, origin, type SessionSecrets } from './stages/origin';
import { route } from './stages/route';

/** What other plugins provide to the pipeline. */
export interface Surroundings {
  readonly settings: Settings;
  readonly router: PathRouter;
  readonly admission: RequestAdmission;
  /** Bytes of the largest file that may be uploaded now. */
  readonly maxUpload: () => number;
  readonly networks: Networks;
  /** The caller of a request; anonymous without a valid session. @throws ApiError UNAVAILABLE */
  readonly identify: (credentials: SessionSecrets) => Soon<Identity>;
  /** Refuses a caller who needs a login for this call. @throws ApiError LOGIN_REQUIRED */
  readonly admit: (request: ApiRequest) => void;
  /** Counts the call towards the caller's limits. @throws ApiError TOO_MANY_REQUESTS */
  readonly limit: (request: ApiRequest) => Soon<void>;
  readonly log: PipelineLog;
  /** Null where nobody wants traces. */
  readonly tracer: RequestTracer | null;
}

export interface PipelineLog {
  /** Logs a request, after its answer has been sent. */
  request(request: ApiRequest): void;
  /** Counts a refusal. */
  refusal(key: ErrorKey): void;
  /** Logs a request from an origin that is not allowed: the browser does not show the answer to the page. */
  foreignOrigin(request: ApiRequest, origin: string): void;
  /** Logs an unexpected error. */
  failure(request: ApiRequest, error: unknown): void;
}

/** Makes requests the spans of traces. */
export interface RequestTracer {
  /** @param isOfProxy whether it comes from a trusted proxy, with which its trace may have begun */
  around<T>(request: ApiRequest, isOfProxy: boolean, work: () => T): T;
  /** Of the present request. */
  refusal(key: ErrorKey): void;
  /** A request that Strapi answers: the panel's. */
  foreign(req: IncomingMessage, res: ServerResponse, work: () => void): void;
}

type Outcome = Soon<Answer | void>;

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
  { name: 'login', run: (request, { admit }) => revealEnd(request, admit) },
  { name: 'limit', run: (request, { limit }) => limit(request) },
  { name: 'controller', run: (request) => request.route?.action(request) },
];

/** The hashes of the claims of a request: of the one in `X-Claim`. */
function claimsOf({ req }: ApiRequest): readonly string[] {
  const given = req.headers['x-claim'];
  const hash = typeof given === 'string' ? hashOfSecret(given.trim()) : null;
  return hash === null ? [] : [hash];
}

function identify(request: ApiRequest, surroundings: Surroundings): Soon<void> {
  const credentials = credentialsOf(request, surroundings.settings);
  return andThen(surroundings.identify(credentials), (identity) =>
    setCaller(request, identity, credentials, surroundings),
  );
}

function setCaller(
  request: ApiRequest,
  { role, id, rowId, session, actor }: Identity,
  credentials: SessionSecrets,
  { networks, admission }: Surroundings,
): void {
  const network = networks.networkOf(request.req);
  const wait = <T>(work: Promise<T>): Promise<T> => admission.leaveWhile(request, work);
  const untilGone = (): AbortSignal => closingOf(request.res);
  const claims = claimsOf(request);
  request.caller = { role, id, rowId, session, actor, claims, network, wait, untilGone };
  if (session === null) refuseEnded(request, credentials);
}

/** A signal for the end of a response's connection, or of the response itself. */
function closingOf(res: ServerResponse): AbortSignal {
  const closing = new AbortController();
  res.once('close', () => closing.abort());
  if (res.destroyed) closing.abort();
  return closing.signal;
}

/** Answers a request. Does not throw. */
export function answer(
  req: IncomingMessage,
  res: ServerResponse,
  surroundings: Surroundings,
): Soon<void> {
  const request = createRequest(req, res);
  const { tracer, networks } = surroundings;
  if (!tracer) return answerRequest(request, surroundings);
  const isOfProxy = networks.isTrusted(req.socket.remoteAddress ?? '');
  return tracer.around(request, isOfProxy, () => answerRequest(request, surroundings));
}

function answerRequest(request: ApiRequest, surroundings: Surroundings): Soon<void> {
  request.res.on('close', () => surroundings.log.request(request));
  tellForeignOrigin(request, surroundings);
  let passed: Soon<Answer>;
  try {
    passed = pass(request, surroundings, 0);
  } catch (error) {
    return fail(request, surroundings, error);
  }
  const end = (answered: Answer): Soon<void> => finish(request, surroundings, answered);
  return isLater(passed)
    ? passed.then(end, (error: unknown) => fail(request, surroundings, error))
    : end(passed);
}

function finish(request: ApiRequest, surroundings: Surroundings, answered: Answer): Soon<void> {
  const { admission, settings } = surroundings;
  let sent: Soon<void>;
  try {
    sent = succeed(request, answered, settings);
  } catch (error) {
    return fail(request, surroundings, error);
  }
  if (!isLater(sent)) return admission.leave(request);
  return sent.then(
    () => admission.leave(request),
    (error: unknown) => fail(request, surroundings, error),
  );
}

function fail(
  request: ApiRequest,
  { log, settings, admission }: Surroundings,
  error: unknown,
): Soon<void> {
  try {
    if (error instanceof Gone) return void request.res.destroy();
    if (isFailure(error)) log.failure(request, error);
    const refusal = hidden(error);
    log.refusal(refusal.key);
    return refuse(request, refusal, settings);
  } finally {
    admission.leave(request);
  }
}

/** A call that comes by another door than /api/v0, which has read its body and knows its caller. */
export interface InsideCall {
  /** As under /api/v0. */
  readonly path: string;
  /** The query after the `?`. */
  readonly search: string;
  readonly body: unknown;
  readonly caller: Caller;
}

/** Answers such a call: by the stages that find its route, and those after the login. Does not throw. */
export async function answerFor(
  req: IncomingMessage,
  res: ServerResponse,
  { path, search, body: given, caller }: InsideCall,
  surroundings: Surroundings,
): Promise<void> {
  const { router, admission, log } = surroundings;
  const request: ApiRequest = { ...createRequest(req, res), path, search, body: given };
  res.on('close', () => log.request(request));
  try {
    const early = route(request, router);
    const issues = inspectJson(given);
    if (issues.length > 0) throw malformed(issues);
    admission.enter(request);
    request.caller = {
      ...caller,
      wait: (work) => admission.leaveWhile(request, work),
      untilGone: () => closingOf(res),
    };
    const answered = early ?? (await request.route?.action(request));
    if (!answered) throw new ApiError('PATH_NOT_FOUND');
    await finish(request, surroundings, answered);
  } catch (error) {
    await fail(request, surroundings, error);
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
  res.on('close', () => surroundings.log.request(request));
  tellForeignOrigin(request, surroundings);
  surroundings.log.refusal(error.key);
  // A large one is compressed first; nobody waits for it.
  void refuse(request, error, surroundings.settings);
}

function tellForeignOrigin(request: ApiRequest, { settings, log }: Surroundings): void {
  const { origin: from, 'sec-fetch-site': site } = request.req.headers;
  if (from === undefined || site === 'same-origin' || settings.allowsOrigin(from)) return;
  log.foreignOrigin(request, from);
}

/** Whether an error is logged beside the request: not a refusal, and not an overload, which is a 503 without a cause. */
const isFailure = (error: unknown): boolean =>
  !(error instanceof ApiError) || (error.status >= 500 && error.cause !== undefined);

/** @param from the first stage that the request has not passed yet */
function pass(request: ApiRequest, surroundings: Surroundings, from: number): Soon<Answer> {
  for (let at = from; at < STAGES.length; at += 1) {
    const outcome = STAGES[at]?.run(request, surroundings);
    if (isLater(outcome))
      return outcome.then((answered) => answered ?? pass(request, surroundings, at + 1));
    if (outcome) return outcome;
  }
  throw new ApiError('PATH_NOT_FOUND');
}
