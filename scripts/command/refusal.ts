import { ApiError } from '../../src/core/errors';
import { textOf } from '../../src/core/messages';
import { StartError } from '../../src/core/start-error';

/** What is wrong with the arguments is told by itself, a fault in a line, other refusals by their text; errors stay as they are. */
export function toldPlainly(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const faults = error.invalid.map(
    ({ path, key, args }) => `${path}: ${key} ${JSON.stringify(args)}`,
  );
  return new StartError(faults.length > 0 ? faults.join('\n') : textOf(error));
}
