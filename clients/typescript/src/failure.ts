import type { Schemas } from './types.js';

type Refused = Schemas['AnyError'];

/** One thing that is wrong in a request; its `key` tells which `args` it has. */
export type Fault = Schemas['Fault'];

/** The keys with which the service refuses a request. */
export type RefusalKey = Refused['message']['key'];

/**
 * What goes wrong on the way. `CLIENT_NO_ANSWER`: the connection failed or was silent for too long, and whether the service
 * has carried the request out is not known. `CLIENT_NOT_UNDERSTOOD`: something else answered, such as a proxy or the login page
 * of a network. `CLIENT_CANCELED`: the caller's signal.
 */
export type ClientKey = 'CLIENT_NO_ANSWER' | 'CLIENT_NOT_UNDERSTOOD' | 'CLIENT_CANCELED';

export type FailureKey = RefusalKey | ClientKey;

type ArgsOf<K extends FailureKey> = K extends RefusalKey
  ? Extract<Refused, { message: { key: K } }>['message']['args']
  : Readonly<Record<string, never>>;

/** What an error tells beside its key and arguments. */
interface Details {
  /** The status of the answer; null where none came. */
  readonly status: number | null;
  /** The ID under which the service's log has the request; null where no answer came. */
  readonly transactionId: string | null;
  /** All that is wrong in a malformed request. */
  readonly faults: readonly Fault[];
  /** Seconds after which the request may be sent again; null where the answer does not say. */
  readonly retryAfter: number | null;
  /** `response` of the refusal, such as the `results` of a batch. */
  readonly response: Readonly<Record<string, unknown>>;
}

/** A call that did not succeed. */
export class OmsError<K extends FailureKey = FailureKey> extends Error implements Details {
  override readonly name = 'OmsError';
  readonly status!: number | null;
  readonly transactionId!: string | null;
  readonly faults!: readonly Fault[];
  readonly retryAfter!: number | null;
  readonly response!: Readonly<Record<string, unknown>>;

  constructor(
    readonly key: K,
    readonly args: ArgsOf<K>,
    details: Partial<Details> = {},
    options?: ErrorOptions,
  ) {
    super(`${key} ${JSON.stringify(args)}`, options);
    Object.assign(
      this,
      { status: null, transactionId: null, faults: [], retryAfter: null, response: {} },
      details,
    );
  }
}

/** Any error of the client: comparing `key` narrows `args`. */
export type Failure = { [K in FailureKey]: OmsError<K> }[FailureKey];

/** Whether an error is one of the client's, of whichever copy of this package. */
export const isFailure = (error: unknown): error is Failure => nameOf(error) === 'OmsError';

/** The name of an error, of whichever realm. */
export const nameOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'name' in error ? error.name : null;

/** An error of the way, not of the service. */
export const clientFailure = (
  key: ClientKey,
  details: Partial<Details> = {},
  cause?: unknown,
): Failure => new OmsError(key, {}, details, { cause });

/** What a promise rejects with, as a failure: a connection that breaks within an answer is one without an answer. */
export const failureOf = (error: unknown): Failure =>
  isFailure(error) ? error : clientFailure('CLIENT_NO_ANSWER', {}, error);

/**
 * Whether the same request may succeed later: no answer, somebody else's answer, too many requests, or a fault of the
 * service. A refusal of the request itself stays one.
 */
export const isTransient = (error: unknown): error is Failure =>
  isFailure(error) &&
  (error.key === 'CLIENT_NO_ANSWER' ||
    error.key === 'CLIENT_NOT_UNDERSTOOD' ||
    error.status === 429 ||
    (error.status ?? 0) >= 500);

/** Whether a create was refused because an object with its ID is there: an earlier try made it, whose answer was lost. */
export const isMadeBefore = (error: unknown, id: string | null | undefined): boolean =>
  isFailure(error) && error.key === 'API_RESPONSE_ENTITY_EXISTS' && error.args.id === id;

/**
 * The faults of a malformed request by the paths of their fields, in dots (`names.0.value`), for a form that marks its
 * inputs. Empty for any other error.
 */
export function faultsByPath(error: unknown): ReadonlyMap<string, readonly Fault[]> {
  const byPath = new Map<string, Fault[]>();
  for (const fault of isFailure(error) ? error.faults : [])
    byPath.set(fault.path, [...(byPath.get(fault.path) ?? []), fault]);
  return byPath;
}

/** What an answer is as a value: the service's envelope. */
export interface Envelope {
  readonly success: boolean;
  readonly response: Readonly<Record<string, unknown>>;
  readonly transactionId: string;
  readonly message?: { readonly key: string; readonly args: object };
}

export const isEnvelope = (value: unknown): value is Envelope =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Partial<Envelope>).success === 'boolean' &&
  typeof (value as Partial<Envelope>).response === 'object';

/** The failure that a refusal is. @param headers of the answer */
export function refusalOf(
  { response, message, transactionId }: Envelope,
  status: number,
  headers: Headers,
): Failure {
  const seconds = Number(headers.get('Retry-After') ?? NaN);
  // A key that this release does not know comes with its own arguments.
  return new OmsError(
    (message?.key ?? 'CLIENT_NOT_UNDERSTOOD') as FailureKey,
    (message?.args ?? {}) as never,
    {
      status,
      transactionId,
      faults: Array.isArray(response['invalid']) ? (response['invalid'] as Fault[]) : [],
      retryAfter: Number.isFinite(seconds) ? seconds : null,
      response,
    },
  ) as Failure;
}
