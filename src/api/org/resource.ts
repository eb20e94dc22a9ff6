import { defineResource } from '../../plugins/objects/server/declare/declaration';
import { creator } from '../../plugins/objects/server/validate/rules';
import {
  both,
  either,
  is,
  memberOf,
  without,
} from '../../plugins/objects/server/declare/relations';
import { actions } from './actions';
import { firstManager, memberCount, orgNameKey, ownerManages } from './domain/rules';
import { JOIN_REQUESTS, keepMembers, MANAGERS, MEMBERS } from './memberships';

/** Users who have asked to join, and members. */
const involved = memberOf('id', ['requested', 'member', 'manager']);

/** An organization, whose members see the encounters that name it. */
export default defineResource({
  uid: 'api::org.org',
  path: 'org',
  description: 'An organization, whose members see the encounters that name it.',
  displayName: 'name',
  picture: 'logo_id',
  suggested: { names: ['name'] },
  relations: {
    owner: is('owner'),
    own: either(is('owner'), memberOf('id', ['manager'])),
    outsider: without(involved),
    leaver: both(involved, without(is('owner'))),
  },
  rights: {
    create: { user: 'all' },
    read: { anonymous: 'all', user: 'all' },
    update: { user: 'own' },
    delete: 'as update',
    join: { user: 'all' },
    leave: { user: 'all' },
    member: 'as update',
    history: { user: 'own' },
  },
  offered: {
    join: { user: 'outsider', moderator: 'outsider', administrator: 'outsider' },
    leave: { user: 'leaver', moderator: 'leaver', administrator: 'leaver' },
  },
  actions,
  fields: {
    name: {
      words: true,
      sort: true,
      kind: 'name',
      description: 'Unique, also among names that look alike.',
    },
    description: { words: true, description: 'What it is about.' },
    website: { kind: 'url', description: 'An http or https address.' },
    email: { description: 'The address of the org, which anybody sees.' },
    country_code: { kind: 'country', description: 'ISO 3166-1 alpha-2; kept in upper case.' },
    logo_id: {
      kind: 'path',
      attach: 'update',
      description: 'The path of an image, which anyone may then read.',
    },
    owner: {
      fill: creator,
      written: { user: 'owner' },
      description:
        'One of the managers: whoever made it, or was given it. The owner gives it away.',
    },
    managers: {
      kind: 'references',
      to: 'user',
      derived: true,
      fill: firstManager,
      listed: MANAGERS,
      description:
        'Those who may change it and its members, the owner among them, by the time since which they do. The history has who was removed and who was added.',
    },
    members: {
      kind: 'references',
      to: 'user',
      derived: true,
      fill: firstManager,
      listed: MEMBERS,
      description:
        'Everybody who belongs to it, the managers among them, in the order in which they came.',
    },
    join_requests: {
      kind: 'references',
      to: 'user',
      derived: true,
      listed: JOIN_REQUESTS,
      seen: ['own'],
      description: 'Those who have asked to join, in the order in which they did.',
    },
    member_count: {
      derived: true,
      derive: memberCount,
      description: 'How many members it has.',
    },
  },
  unique: [{ attribute: 'nameKey', fields: ['name'], key: orgNameKey }],
  rules: [ownerManages],
  consequences: [keepMembers],
});
