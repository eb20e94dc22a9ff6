/** What the OpenAPI document says of these calls. */
import type { CallTexts } from '../../endpoints/about';

export const ABOUT: CallTexts = {
  create:
    'Uploads one photograph as `multipart/form-data` with the part `file`, before the report that shows it. One that nothing refers to is deleted after 7 days, and the same bytes of the same owner are one asset, which the refusal names.',
  read: 'What is known of a photograph; for an `<img>`, use `path` or one of `renditions`.',
  update: 'Only a moderator writes `open` as its `location_privacy`.',
  delete: 'Encounters that show it lose it.',
  history: 'Who changed what of one photograph, for its owner and moderators.',
  search: 'Finds photographs by owner, camera, license and any field.',
  export: 'What is known of all photographs that a search finds, as a table.',
  file: 'The bytes of a photograph: the original for its owner and moderators, else the rendition `large`, without metadata. `size` chooses a smaller one; a page on another site needs a bearer, which an `<img>` does not send.',
};
