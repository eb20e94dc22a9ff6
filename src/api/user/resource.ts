import { fold } from '../../plugins/accounts/server/fold';
import { USER_UID } from '../../plugins/accounts/server/users/account';
import { examineAccount } from '../../plugins/accounts/server/users/beforehand';
import { followAccount } from '../../plugins/accounts/server/users/follow';
import { defineResource } from '../../plugins/objects/server/define/declaration';
import { ownLanguage, passwordOrInvitation, proofOfIdentity, staysVerified } from './domain/rules';
import { noAddress } from './domain/username';

/** The key by which two spellings of a name or an address are one. */
const keyOf = (name: string) => (object: Readonly<Record<string, unknown>>) =>
  typeof object[name] === 'string' ? fold(object[name]) : null;

/** A person who reports, moderates or administers. */
export default defineResource({
  uid: USER_UID,
  path: 'user',
  description: 'A person who reports, moderates or administers, with an account.',
  displayName: 'name',
  ownedBy: 'id',
  hidden: ['role'],
  fields: {
    username: {
      seen: 'self',
      description:
        'What `login` takes beside the e-mail. Unique without regard to case; holds no `@`, so that it is never an address.',
    },
    password: {
      description:
        'Write-only. Required on create, except from an administrator, whose new user is sent an invitation instead. One changes one’s own by `POST /api/v0/password`.',
    },
    current_password: {
      kind: 'secret',
      input: 'update',
      maxLength: 128,
      description: 'Wanted beside a new `email` or `username` of one’s own.',
    },
    name: { description: 'What the person is called.' },
    affiliation: { description: 'Where the person works.' },
    website: { kind: 'url', description: 'An http or https address.' },
    email: {
      seen: 'owner',
      description: 'Unique without regard to case. A new one has to be verified again.',
    },
    photo_id: {
      kind: 'path',
      to: 'asset',
      description: 'The path of an image that the person owns.',
    },
    role: {
      attribute: 'accountRole',
      written: 'administrator',
      spellings: { administator: 'administrator' },
      description: 'What the account may do. Written by administrators alone.',
    },
    organizations: {
      kind: 'references',
      to: 'org',
      derived: true,
      description: 'The orgs that the person is a member of.',
    },
    encounters: {
      kind: 'references',
      to: 'encounter',
      derived: true,
      inverse: { type: 'encounter', field: 'owner' },
      description:
        'The encounters that the person owns, as far as the caller may read them, the newest first; at most 1,000.',
    },
    collaborators: {
      kind: 'references',
      to: 'user',
      derived: true,
      seen: 'owner',
      description: 'Users with whom a collaboration has been accepted.',
    },
    followed_users: { seen: 'owner', maxItems: 1000, description: 'Written whole.' },
    followed_individuals: {
      kind: 'references',
      to: 'individual',
      seen: 'owner',
      maxItems: 1000,
      description: 'Written whole.',
    },
    followed_orgs: {
      kind: 'references',
      to: 'org',
      seen: 'owner',
      maxItems: 1000,
      description: 'Written whole.',
    },
    followed_encounters: { seen: 'owner', maxItems: 1000, description: 'Written whole.' },
    email_verified: {
      derived: true,
      derive: staysVerified,
      seen: 'self',
      description: 'Whether the person has followed the link that was sent to the address.',
    },
    language: {
      kind: 'language',
      fill: ownLanguage,
      seen: 'self',
      description: "The language of the person's mails; by default the site's.",
    },
    blocked: {
      seen: 'administrator',
      written: 'administrator',
      description: 'Whether the account is closed: no login, and its sessions end at once.',
    },
  },
  unique: [
    { attribute: 'emailKey', fields: ['email'], key: keyOf('email'), discreet: true },
    { attribute: 'usernameKey', fields: ['username'], key: keyOf('username'), discreet: true },
  ],
  rules: [noAddress, passwordOrInvitation, proofOfIdentity],
  permissions: {
    create: { anonymous: 'any', user: 'any', moderator: 'any', administrator: 'any' },
    read: { anonymous: 'any', user: 'any', moderator: 'any', administrator: 'any' },
    update: { anonymous: 'none', user: 'own', moderator: 'own', administrator: 'any' },
    delete: { anonymous: 'none', user: 'none', moderator: 'none', administrator: 'any' },
  },
  beforehand: examineAccount,
  follow: followAccount,
  forgotten: true,
});
