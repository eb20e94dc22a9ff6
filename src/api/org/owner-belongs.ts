import { issue } from '../../core/errors';
import type { Rule } from '../../plugins/objects/server/declare/behavior';
import { orgsOf } from './memberships';

/**
 * The owner of an object has to be a member of each org that is added to its `organizations`; a new owner, of all of
 * them. An org that is already named stays when the owner leaves it.
 */
export const ownerBelongs: Rule = {
  fields: ['owner', 'organizations'],
  *check({ owner, organizations }, { before }) {
    const isOwned = before !== null && before['owner'] === owner;
    const present = new Set(isOwned ? (before['organizations'] as readonly string[]) : []);
    const orgs = organizations as readonly string[];
    const added = orgs.filter((id) => !present.has(id));
    const theirs = yield* orgsOf(typeof owner === 'string' ? owner : '', added);
    return orgs.flatMap((id, at) =>
      present.has(id) || theirs.has(id)
        ? []
        : [issue(`organizations.${at}`, 'CONFLICT', { with: 'owner' })],
    );
  },
};
