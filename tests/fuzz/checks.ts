/** What has to hold of the answer to a request that was made from the document. */
import type { ContractChecker } from '../helpers/contract-checker';
import type { Answer, Request } from '../helpers/http';
import { at, parsed } from '../helpers/json';
import { NO_IDS, STALE } from './api-requests';
import type { People, Who } from './people';
import type { Shot } from './shot';
import { PRIVATE_DOMAIN, SECRET } from './values';

/** The answer to a request of a caller, as it was sent. */
export interface Exchange {
  readonly shot: Shot;
  readonly request: Request;
  readonly answer: Answer;
}

/** Statuses that a limit of the service explains, at any time. */
const LIMITS: readonly number[] = [429, 503];

/**
 * What is wrong with the order of the checks: the caller is asked for before anything of the request but its form, what
 * the path names before the fields, and its version before them.
 */
export function orderFault({ shot, request, answer: { status } }: Exchange): string | null {
  const { operation, who, isTidy, violation } = shot;
  if (operation === undefined || !isTidy || LIMITS.includes(status)) return null;
  if (operation.needsLogin && who === 'nobody')
    return status === 401 ? null : `nobody is answered ${status} before 401`;
  if (who === 'nobody' || status === 401) return null;
  const names = request.url.split(/[/?]/);
  if (operation.path.includes('{id}') && NO_IDS.some((id) => names.includes(id)))
    return status === 402 ? null : `nothing is there, and the answer is ${status} before 402`;
  if (violation === STALE && operation.method !== 'POST')
    return [402, 403, 412].includes(status)
      ? null
      : `another version is answered ${status} before 412`;
  return null;
}

/** Answers that tell a new session its key, and a caller the own address. */
const TELLS_KEY = /^\/api\/v0\/login(\/|\?|$)/;

/** What an answer tells that it must not: passwords, keys of sessions, addresses of others. */
export function secretFault({ shot, request, answer }: Exchange, people: People): string | null {
  const { text } = answer;
  if (text.includes(SECRET)) return 'it tells a password';
  if (!TELLS_KEY.test(request.url) && people.secrets().some((key) => text.includes(key)))
    return 'it tells the key of a session';
  return seesAddresses(shot.who) ? null : addressFault(text, shot.who, request.url);
}

/** Lines of the log with a password, or the key of a session. */
export const secretLines = (log: string, people: People): string[] => {
  const secrets = [SECRET, ...people.secrets()];
  return secrets.some((secret) => log.includes(secret))
    ? log.split('\n').filter((line) => secrets.some((secret) => line.includes(secret)))
    : [];
};

const seesAddresses = (who: Who): boolean => who === 'moderator' || who === 'administrator';

const ADDRESSES = new RegExp(`[\\w.-]+@(?:${PRIVATE_DOMAIN}|people\\.example\\.org)`, 'g');

/** Whoever logs in as nobody is the user. */
function addressFault(text: string, who: Who, url: string): string | null {
  const isUser = who === 'user' || TELLS_KEY.test(url);
  const told = text
    .match(ADDRESSES)
    ?.find((address) => !(isUser && /^user-\d+@people\./.test(address)));
  return told === undefined ? null : `it tells the address ${told}`;
}

/** What the contract says of the answer: its status, headers and body, and that what it accepts is documented. */
export function contractFault(
  { shot, request, answer }: Exchange,
  check: ContractChecker,
): string | null {
  if (shot.door !== 'api' || !/^\/api\/v0\/[\w{}/-]*(\?|$)/.test(request.url)) return null;
  if (shot.kind === 'hostile' && answer.status === 400 && isOfParser(answer)) return null;
  return check(request, answer)[0] ?? null;
}

/** Whether Node's parser refused what never became a request. */
const isOfParser = ({ headers }: Answer): boolean =>
  headers.connection === 'close' && headers.vary === undefined;

/** The keys of faults that a schema tells, with which what fits it is not refused. */
const OF_SCHEMA = ['UNKNOWN', 'TYPE', 'NOT_ONE_OF'].map((key) => `API_RESPONSE_${key}`);

/** What depends on more than the document says: on the site's settings, on the type in a batch. */
const LEFT_OPEN = /^(custom_fields|default_language|operations)\b/;

/** A body that fits the document is not refused for what the document says. */
export function acceptanceFault({ shot, answer }: Exchange): string | null {
  const { kind, operation } = shot;
  if (kind !== 'valid' || answer.status !== 400 || operation?.method === 'GET') return null;
  const invalid: unknown = at(parsed(answer.text), 'response', 'invalid');
  const told = (Array.isArray(invalid) ? invalid : []).find(
    (one) => OF_SCHEMA.includes(String(at(one, 'key'))) && !LEFT_OPEN.test(String(at(one, 'path'))),
  ) as unknown;
  return told === undefined
    ? null
    : `it fits the document, and is refused: ${JSON.stringify(told)}`;
}
