import { notice } from '../../../core/notices';
import type { Rule } from '../../../plugins/objects/server/declare/behavior';
import { levelOf } from '../../encounter/level';
import type { Body } from '../../../plugins/objects/server/declare/objects';

/** Nothing is above them. */
const HIGHEST: ReadonlySet<unknown> = new Set(['kingdom', 'superkingdom', 'domain']);

/** Whether a taxon is protected and nothing is known to be above it. */
const isUncovered = ({ location_privacy, parent, accepted, rank }: Body): boolean =>
  levelOf(location_privacy) > 0 && parent === null && accepted === null && !HIGHEST.has(rank);

/**
 * Tells who protects a taxon without a parent that ranks above it stay as they are (contract, section 6): what is
 * identified to its family alone may be this animal, and is open.
 */
export const tellUncovered: Rule = {
  fields: ['location_privacy', 'parent', 'accepted', 'rank', 'scientific_name'],
  *check(after, { before, notices }) {
    if (isUncovered(after) && !(before && isUncovered(before)))
      notices.push(notice('RANKS_ABOVE_OPEN', { name: String(after['scientific_name']) }));
    return [];
  },
};
