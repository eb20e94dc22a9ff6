import { isBytes } from '../helpers/contract-checker';
import type { Answer, Request } from '../helpers/http';
import { asObject, at, parsed } from '../helpers/json';
import { messageFaults } from '../helpers/message-catalog';

/** Internals that neither an answer nor a line of the log may contain: stacks as V8 indents them, SQL, files, hashes. */
const INSIDE =
  /\n {4}at |\\n {4}at |node_modules|\/dist\/|\.[jt]s:\d+:\d+|SQLITE_|syntax error at|relation \\?"\w+\\?" |(select|insert into|update|delete from) [`"]\w+[`"]|argon2id/;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The fault of an answer; null when there is none. */
export function faultOf({ method, url }: Request, answer: Answer): string | null {
  const { status, headers, text } = answer;
  if (status >= 500 && !(status === 503 && headers['retry-after'] !== undefined))
    return 'a failure of the service';
  // Files of the panel hold whatever they hold.
  const isPage = /html|javascript/.test(String(headers['content-type']));
  if (!isPage && INSIDE.test(text)) return 'it shows the inside';
  if (!/^\/api(\/|$|\?)/.test(url) || method === 'HEAD' || status === 204 || status === 304)
    return null;
  return isBytes(answer) ? null : envelopeFault(answer);
}

/** What is wrong with the envelope of an answer below `/api`. */
function envelopeFault({ status, headers, text }: Answer): string | null {
  const body = parsed(text);
  if (at(body, 'openapi') !== undefined) return null;
  if (at(body, 'success') !== status < 400) return 'success is wrong';
  const id = at(body, 'transactionId');
  if (typeof id !== 'string' || !UUID.test(id) || headers['x-transaction-id'] !== id)
    return 'the transaction ID is wrong';
  if (status < 400) return null;
  const faults = messageFaults(
    String(at(body, 'message', 'key')),
    asObject(at(body, 'message', 'args')),
    'request',
  );
  return faults[0] ?? null;
}

/** Node warns, once, of what a library does that will not be possible for ever. */
const OF_NODE = /^\(node:\d+\) DeprecationWarning: |^\(Use `node --trace-deprecation /;

/** The lines of a log that are no JSON, or show the inside. */
export const strangeLines = (log: string): string[] =>
  log
    .split('\n')
    .filter((line) => line !== '' && !OF_NODE.test(line))
    .filter((line) => parsed(line) === undefined || INSIDE.test(line));

/** The lines of a log that are more than notes. */
export const warnings = (log: string): string[] =>
  log.split('\n').filter((line) => /"level":"(?:warn|error)"/.test(line));
