import { addressKey, MAX_PASSWORD, MIN_PASSWORD } from '../../core/formats';
import { fold } from '../../core/text';
import { rejectCommon } from '../../plugins/accounts/server/passwords/policy';
import { USER_UID } from '../../plugins/accounts/server/users/account';
import { accountConsequences } from '../../plugins/accounts/server/users/consequences';
import { defineResource } from '../../plugins/objects/server/declare/declaration';
import { is, isNot } from '../../plugins/objects/server/declare/relations';
import { panelConsequences } from '../../plugins/panel/server/accounts/panel-users';
import { COLLABORATORS } from '../collaboration/resource';
import { leaveOrgs, ORGANIZATIONS } from '../org/memberships';
import {
  ownLanguage,
  ownPhoto,
  passwordOrInvitation,
  proofOfIdentity,
  rejectAddress,
  staysVerified,
} from './domain/rules';

/** The key that is the same for all spellings of a name or an address. */
const keyOf =
  (name: string, key = fold) =>
  (object: Readonly<Record<string, unknown>>) =>
    typeof object[name] === 'string' ? key(object[name]) : null;

/** The person and administrators. */
const SELF = { user: 'own', moderator: 'own' } as const;

/** A person who reports, moderates or administers. */
export default defineResource({
  uid: USER_UID,
  path: 'user',
  description: 'A person who reports, moderates or administers, with an account.',
  displayName: 'name',
  picture: 'photo_id',
  suggested: { names: ['name'] },
  relations: { own: is('id'), other: isNot('id') },
  rights: {
    create: {
      anonymous: 'all if registration',
      user: 'all if registration',
      moderator: 'all if registration',
    },
    read: { anonymous: 'all', user: 'all' },
    update: { user: 'own', moderator: 'own' },
    delete: { moderator: [] },
    history: { user: 'own' },
  },
  seen: { version: ['own'], updated_at: ['own'] },
  hidden: ['role'],
  fields: {
    username: {
      kind: 'name',
      seen: SELF,
      rejects: rejectAddress,
      description:
        'What `login` takes beside the e-mail. Unique without regard to case; holds no `@`, so that it is never an address.',
    },
    password: {
      written: { moderator: [], administrator: 'other' },
      onCreate: true,
      minLength: MIN_PASSWORD,
      maxLength: MAX_PASSWORD,
      rejects: rejectCommon,
      description:
        'Write-only. Required on create, except from an administrator, whose new user is sent an invitation instead. One changes one’s own by `POST /api/v0/password`.',
    },
    current_password: {
      kind: 'secret',
      input: 'update',
      maxLength: MAX_PASSWORD,
      description: 'Wanted beside a new `email` or `username` of one’s own.',
    },
    name: { words: true, sort: true, kind: 'name', description: 'What the person is called.' },
    affiliation: { words: true, description: 'Where the person works.' },
    website: { kind: 'url', description: 'An http or https address.' },
    email: {
      seen: ['own'],
      description: 'Unique without regard to case. A new one has to be verified again.',
    },
    photo_id: {
      kind: 'path',
      attach: 'update',
      description: 'The path of an image that the person owns.',
    },
    role: {
      attribute: 'accountRole',
      written: { moderator: [] },
      spellings: { administator: 'administrator' },
      description: 'What the account may do. Written by administrators alone.',
    },
    organizations: {
      kind: 'references',
      to: 'org',
      derived: true,
      listed: ORGANIZATIONS,
      description: 'The orgs that the person is a member of, at most 1,000.',
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
      listed: COLLABORATORS,
      seen: ['own'],
      description: 'Users with whom a collaboration has been accepted, at most 1,000.',
    },
    followed_users: { seen: ['own'], maxItems: 1000, description: 'Written whole.' },
    followed_individuals: { seen: ['own'], maxItems: 1000, description: 'Written whole.' },
    followed_orgs: { seen: ['own'], maxItems: 1000, description: 'Written whole.' },
    followed_encounters: { seen: ['own'], maxItems: 1000, description: 'Written whole.' },
    email_verified: {
      derived: true,
      derive: staysVerified,
      seen: SELF,
      description: 'Whether the person has followed the link that was sent to the address.',
    },
    language: {
      kind: 'language',
      fill: ownLanguage,
      seen: SELF,
      description: "The language of the person's mails; by default the site's.",
    },
    blocked: {
      seen: { moderator: [] },
      written: { moderator: [] },
      description: 'Whether the account is closed: no login, and its sessions end at once.',
    },
  },
  unique: [
    { attribute: 'emailKey', fields: ['email'], key: keyOf('email', addressKey), discreet: true },
    { attribute: 'usernameKey', fields: ['username'], key: keyOf('username'), discreet: true },
  ],
  rules: [passwordOrInvitation, proofOfIdentity, ownPhoto],
  beforeDelete: [leaveOrgs],
  consequences: [accountConsequences, panelConsequences],
  forgotten: true,
});
