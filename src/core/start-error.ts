/**
 * Ends the start for a reason that the operator can remove. The message is one line that says what is wrong and what is
 * expected; only this line is shown, without a stack.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** The code of an error of the system, SQLite or PostgreSQL (`EACCES`, `SQLITE_BUSY`, `3D000`), or `unknown`. */
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

/** The message of an error on one line: a driver's message may have several lines, or be empty. */
export function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s*\n\s*/g, ' ').trim() || errorCode(error);
}
