import {
  defineResource,
  type ListDeclaration,
} from '../../plugins/objects/server/declare/declaration';
import { creator } from '../../plugins/objects/server/validate/rules';
import { sql } from '../../plugins/objects/server/database/sql';
import { either, is, where } from '../../plugins/objects/server/declare/relations';
import { agreed, pairKey, withAnother } from './domain/rules';

/** Only the two users, whatever their roles. */
const PARTY = { user: 'party', moderator: 'party', administrator: 'party' } as const;
const OPEN = { user: 'open', moderator: 'open', administrator: 'open' } as const;

/** The users with whom a user has an accepted collaboration. */
export const COLLABORATORS: ListDeclaration = {
  rows: (row, { table, column }) => {
    const of = (field: string) => sql`c.${column('collaboration', field)}`;
    const side = (theirs: string, own: string) =>
      sql`select ${of(theirs)} as id, c.id as place from ${table('collaboration')} c
        where ${of(own)} = ${row} and ${of('state')} = 'accepted'`;
    return sql`${side('to', 'from')} union all ${side('from', 'to')}`;
  },
};

/**
 * Two users who share the objects that they own: each can read those of the other, and change them with the level
 * `edit`.
 */
export default defineResource({
  uid: 'api::collaboration.collaboration',
  path: 'collaboration',
  description:
    'Two people who share what they own: each sees it, and with the level `edit` changes it.',
  displayName: 'state',
  made: 'call',
  relations: {
    party: either(is('from'), is('to')),
    open: either(where({ state: 'pending' }), where({ state: 'accepted' })),
  },
  rights: {
    create: { user: 'all' },
    read: { user: 'party' },
    update: PARTY,
    delete: { moderator: [], administrator: [] },
    history: 'as read',
  },
  offered: { update: OPEN },
  fields: {
    user: {
      kind: 'reference',
      to: 'user',
      input: 'create',
      required: true,
      description: 'Who is asked.',
    },
    from: {
      derived: true,
      fill: creator,
      onDelete: 'delete',
      description: 'Who has asked.',
    },
    to: {
      derived: true,
      fill: (_, { given }) => given['user'] ?? null,
      onDelete: 'delete',
      description: 'Who was asked.',
    },
    level: {
      description:
        'What each may do with what the other owns: read it, or change it too. Less comes about at once; more, once the other side has put the same.',
    },
    requested_level: {
      derived: true,
      given: true,
      description: 'The level that one side has put and the other has not yet.',
    },
    requested_by: {
      derived: true,
      given: true,
      description: 'Who has put it.',
    },
    state: {
      sort: true,
      written: PARTY,
      description:
        'The receiver sets a pending request to `accepted` or `declined`, the sender to `ended`. Either side sets an accepted collaboration to `ended`.',
    },
  },
  unique: [{ attribute: 'pairKey', fields: ['user'], key: pairKey }],
  rules: [withAnother],
  transition: agreed,
  forgotten: true,
});
