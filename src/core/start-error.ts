/**
 * A start that cannot go on, for a reason that the operator can mend. The message is one line that says what
 * is wrong and what is expected; it is all that is shown, without a stack.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** The code of a system, SQLite or PostgreSQL error (`EACCES`, `SQLITE_BUSY`, `3D000`), or `unknown`. */
export function errorCode(error: unknown): string {
  if (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    typeof error.code === 'string'
  ) {
    return error.code;
  }
  return 'unknown';
}

/** What an error says, on one line: messages of drivers run over several, and some have none. */
export function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s*\n\s*/g, ' ').trim() || errorCode(error);
}
