/** What the OpenAPI document says of these calls. */
import type { CallTexts } from '../../endpoints/about';

export const ABOUT: CallTexts = {
  carryOut:
    'Carries out up to 500 creates, updates, deletes and actions, in their order. By default all or none: one that fails is 400 `BATCH_FAILED`, and `results` tells of each what its single call would have answered, with paths such as `operations.12.time`. It needs a login, and the rights are those of the single calls. `dry_run` checks all of it and keeps nothing.',
};
