import { fold } from '../../../plugins/accounts/server/fold';
import { issue, type Issue } from '../../../plugins/wire/server/errors';
import type { Work } from '../../../plugins/objects/server/database/work';

/** A user name can never be anybody's address, in whichever way its `@` is written. */
export function* noAddress(user: Readonly<Record<string, unknown>>): Work<readonly Issue[]> {
  const name = user['username'];
  return typeof name === 'string' && fold(name).includes('@')
    ? [issue('username', 'FORMAT', { expected: 'a name without @' })]
    : [];
}
