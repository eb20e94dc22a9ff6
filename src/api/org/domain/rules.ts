import { issue } from '../../../core/errors';
import { fold } from '../../../core/text';
import type { Rule } from '../../../plugins/objects/server/define/behavior';
import { roleIn, listsOf } from './membership';

type Org = Readonly<Record<string, unknown>>;

/** The key that is the same for all spellings of a name. */
export const nameKey = ({ name }: Org): string | null =>
  typeof name === 'string' ? fold(name) : null;

/** Whoever owns a new org manages it. */
export const firstManager = ({ owner }: Org): readonly string[] =>
  typeof owner === 'string' ? [owner] : [];

/** Every list of members counts its managers. */
export const memberCount = (org: Org): number => listsOf(org).members.length;

/** An org can be given to one of its managers alone. */
export const ownerManages: Rule = {
  fields: ['owner'],
  *check(org, { before }) {
    const { owner } = org;
    if (before === null || owner === before['owner']) return [];
    const manages = typeof owner === 'string' && roleIn(listsOf(org), owner) === 'manager';
    return manages ? [] : [issue('owner', 'CONFLICT', { with: 'managers' })];
  },
};
