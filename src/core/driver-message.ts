/** What a database's driver says of a statement that failed, without values. */

/** A value that was refused: PostgreSQL does not escape the quotation marks in it. */
const REFUSED = /: ".*$/s;

/** First what is kept: PostgreSQL's words before the name of something in the schema. */
const LITERALS = new RegExp(
  [
    /(\b(?:column|relation|table|constraint|index|type|function|operator|schema) "[^"]*")/,
    /"(?:[^"]|"")*"|'(?:[^']|'')*'|`[^`]*`/,
    /(?<![\w.$])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);

/** The mark behind which knex puts the driver's own message, after the statement with its values. */
const BEHIND_STATEMENT = ' - ';

/**
 * The message of SQLite's or PostgreSQL's driver, in which `…` stands for each literal.
 *
 * @returns null of an error that is none of theirs, whose message may be anything
 */
export function driverMessage(error: Error): string | null {
  if (!isOfDriver(error)) return null;
  const [own = ''] = error.message.split(BEHIND_STATEMENT).slice(-1);
  return own
    .replace(REFUSED, ': …')
    .replace(LITERALS, (_, named: string | undefined) => named ?? '…');
}

/** SQLite names its errors by words, PostgreSQL by five characters beside a severity. */
function isOfDriver(error: Error): boolean {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  if (typeof code !== 'string') return false;
  return code.startsWith('SQLITE_') || (/^[0-9A-Z]{5}$/.test(code) && typeof severity === 'string');
}
