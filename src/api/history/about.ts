/** What the OpenAPI document says of these calls. */
import type { CallTexts } from '../../endpoints/about';

export const ABOUT: CallTexts = {
  search:
    'Finds all changes, those of settings, roles and deleted objects included, and who has met a limit. For administrators. The newest first, by `cursor`; a page may be shorter than `limit` though more follow.',
};
