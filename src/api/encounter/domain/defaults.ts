import type { RuleContext } from '../../../plugins/objects/server/define/declaration';

type Encounter = Readonly<Record<string, unknown>>;

/** A new encounter waits for a review where the site asks for one. */
export const initialState = (_: Encounter, { site }: RuleContext): 'pending' | 'approved' =>
  site.reviewEncounters ? 'pending' : 'approved';
