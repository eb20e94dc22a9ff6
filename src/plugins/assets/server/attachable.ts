/** Whether a caller may refer to an asset. */
import type { Caller } from '../../../core/caller';
import { ApiError } from '../../../core/errors';
import type { Body, Objects } from '../../objects/server/types';

/**
 * These fields of an asset, null where it does not exist or the caller may not attach it to anything.
 *
 * @throws ApiError UNAVAILABLE
 */
export async function attachable(
  objects: Objects,
  id: string,
  caller: Caller,
  fields: readonly string[],
): Promise<Body | null> {
  try {
    const { object, may } = await objects.inspect('asset', id, caller, fields);
    return may('update') ? object : null;
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return null;
    throw error;
  }
}
