import { issue } from '../../../core/errors';
import { foldAlike } from '../../../core/look-alike';
import type { Rule } from '../../../plugins/objects/server/declare/behavior';
import { roleIn, listsOf } from './membership';

type Org = Readonly<Record<string, unknown>>;

/** The key that is the same for all spellings of a name, and for names that look alike. */
export const orgNameKey = ({ name }: Org): string | null =>
  typeof name === 'string' ? foldAlike(name) : null;

/** The owner of a new org is one of its managers. */
export const firstManager = ({ owner }: Org): readonly string[] =>
  typeof owner === 'string' ? [owner] : [];

/** The list of members contains all managers. */
export const memberCount = (org: Org): number => listsOf(org).members.length;

/** Only a manager can become the owner of an org. */
export const ownerManages: Rule = {
  fields: ['owner'],
  *check(org, { before }) {
    const { owner } = org;
    if (before === null || owner === before['owner']) return [];
    const manages = typeof owner === 'string' && roleIn(listsOf(org), owner) === 'manager';
    return manages ? [] : [issue('owner', 'CONFLICT', { with: 'managers' })];
  },
};
