import type { Expected } from '../../../core/errors';
import { fold } from '../../../core/fold';

/** A user name can never be anybody's address, in whichever way its `@` is written. */
export const rejectAddress = (name: string): Expected | null =>
  fold(name).includes('@') ? 'username' : null;
