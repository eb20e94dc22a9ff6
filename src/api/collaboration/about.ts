/** What the OpenAPI document says of these calls. */
import type { CallTexts } from '../../endpoints/about';

export const ABOUT: CallTexts = {
  create:
    'Asks another user to share what both own: with `view` each reads it, with `edit` each may change it.',
  read: 'Who has asked whom, and what stands.',
  update:
    'The receiver accepts or declines, either ends; to ask for more, send `level`, which the other side grants by sending the same.',
  history: 'Who asked, accepted and ended, for the two users and moderators.',
  search: 'Finds the collaborations of the caller by user, state and level. It needs a login.',
  export: 'The collaborations that a search finds, as a table. It needs a login.',
};
