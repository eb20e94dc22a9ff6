/**
 * Lines of the log: one JSON object each, with the properties that are listed here. Any others are left out, because
 * libraries attach anything to their errors, such as a whole body.
 */

/** The properties and their maximum length in characters. */
const LENGTHS = {
  level: 10,
  message: 1000,
  event: 100,
  transactionId: 36,
  method: 20,
  path: 1000,
  origin: 300,
  status: 3,
  ms: 20,
  caller: 36,
  aborted: 5,
  repeated: 20,
  reason: 8000,
  stack: 8000,
  name: 300,
  durationSeconds: 20,
} as const;
const PROPERTIES = Object.entries(LENGTHS);

type Info = Readonly<Record<string, unknown>>;

/** The line of an entry, with this time. */
export function logLine(info: Info, now: Date): string {
  let line = `{"time":"${now.toISOString()}"`;
  for (const [name, max] of PROPERTIES) {
    const value = info[name];
    if (typeof value === 'string') line += `,"${name}":${textOf(value, max)}`;
    else if (typeof value === 'number' || typeof value === 'boolean')
      line += `,"${name}":${JSON.stringify(value)}`;
  }
  return `${line}}`;
}

const textOf = (text: string, max: number): string =>
  JSON.stringify(text.length > max ? `${text.slice(0, max)}…` : text);

/** What is logged of a request. */
export interface LoggedRequest {
  readonly transactionId: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  /** Milliseconds until its answer had been sent. */
  readonly ms: number;
  /** The ID of the account, null without one. */
  readonly caller: string | null;
  /** Whether the connection was closed before the whole answer had been sent. */
  readonly aborted: boolean;
}

/**
 * The line of a request: what `logLine` gives, in a quarter of the time. Only the path is free text; Node has checked
 * the method.
 */
export function requestLine(request: LoggedRequest, now: Date): string {
  const { transactionId, method, path, status, ms, caller, aborted } = request;
  return `{"time":"${now.toISOString()}","level":"info","message":"request","transactionId":"${transactionId}","method":"${method}","path":${textOf(path, LENGTHS.path)},"status":${status},"ms":${ms}${caller === null ? '' : `,"caller":"${caller}"`}${aborted ? ',"aborted":true' : ''}}`;
}

/** At most one line in this many milliseconds is written for an event, such as an unavailable database. */
const INTERVAL = 1000;

/**
 * Drops the lines of an event that follow another one too soon; the next line says how many were dropped.
 *
 * @returns a filter of entries: the entry to write, null to drop it
 */
export function createRepetitionFilter(clock: () => number): <I extends Info>(info: I) => I | null {
  const events = new Map<string, { until: number; dropped: number }>();
  return (info) => {
    const { event } = info;
    if (typeof event !== 'string' || event === '') return info;
    const now = clock();
    const known = events.get(event);
    if (known && now < known.until) {
      known.dropped += 1;
      return null;
    }
    events.set(event, { until: now + INTERVAL, dropped: 0 });
    return known && known.dropped > 0 ? { ...info, repeated: known.dropped } : info;
  };
}

/** The event under which an unavailable database is reported. */
export const DATABASE_AWAY = 'database_away';
