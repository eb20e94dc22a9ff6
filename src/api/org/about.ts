/** What the OpenAPI document says of these calls. */
import type { CallTexts } from '../../endpoints/about';

export const ABOUT: CallTexts = {
  create: 'Anybody with an account may make an org, and is then its owner, a manager and a member.',
  read: 'An org with its members and managers.',
  update:
    'Members and managers change by `join`, `leave` and `member`, not here; `owner` may be given to a manager.',
  delete: 'Encounters that were shared with it stay, and its members no longer see them by it.',
  history: 'Who changed what of one org, joined or left, for its managers and moderators.',
  search: 'Finds orgs by name, country, members and any field.',
  suggest: 'Fills the input of an org while somebody types its name, with its logo.',
  export: 'All orgs that a search finds, as a table.',
  join: 'Asks to join: a manager then accepts by `member`. Until then nothing of the org is shared with the caller.',
  leave:
    'Leaves an org, or takes the request to join back. The owner gives the org to another manager first.',
  member:
    'A manager accepts who has asked (`member`), makes a manager, removes or declines (`null`). Nobody becomes a member without having asked.',
};
