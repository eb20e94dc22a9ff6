/** What the OpenAPI document says of these calls. */
import type { CallTexts } from '../../endpoints/about';

export const ABOUT: CallTexts = {
  create:
    'Reports one encounter: one animal or group, at one time and place. Upload photographs first and name their IDs in `assets`; without an account also send their `claims`, and keep the `claim` of the answer.',
  read: 'What a stranger is told of an encounter that is not open is generalized: `generalized` says how, and a month as `time` is no mistake.',
  update:
    '`state` changes by a review alone, and a stricter `location_privacy` hides place and time at once.',
  delete: 'The individual and the photographs stay.',
  history: 'Who changed what of one encounter, for its owner and moderators.',
  search: 'Finds encounters by taxon, time, place, words and any field.',
  export:
    'All encounters that a search finds, as a table, as GeoJSON, or as an archive of the standards (`dwca`, `camtrap_dp`).',
  review:
    'Moderators approve or reject, and the owner sends what was rejected to the review again (`pending`); any other step is refused with `STATE_CONFLICT`. A decision ends the claims of the report, and mails its author.',
  claim:
    'After sign-up: makes the caller the owner of a report that was sent without an account, and of its photographs. Send the claim of the report in `X-Claim`; it works once, for 30 days.',
};
