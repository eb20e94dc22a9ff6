/** What the OpenAPI document says of these calls. */
import type { CallTexts } from '../../endpoints/about';

export const ABOUT: CallTexts = {
  create:
    'Registers an account, which may log in at once unless the site asks for a verified address. From an administrator, without a password, it invites.',
  read: 'The public profile; e-mail, follows and collaborators are for the user and moderators.',
  update:
    "A new `email` or `username` of one's own needs `current_password`, and the password itself is changed by `/password`.",
  delete:
    'Erases the person: account, sessions, follows, memberships and the name in histories. Encounters, individuals and photographs stay, without an owner.',
  history: 'Who changed what of one account, for the user and moderators.',
  search: 'Finds users by name, affiliation, org and any field; by e-mail for moderators.',
  suggest:
    'Fills the input of a person while somebody types a name, with the person’s picture; e-mail and username find nobody.',
  export: 'All users that a search finds, as a table.',
};
