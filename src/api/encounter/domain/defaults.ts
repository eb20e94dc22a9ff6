import type { Work } from '../../../plugins/objects/server/database/work';
import type { RuleContext } from '../../../plugins/objects/server/write/rules';

type Encounter = Readonly<Record<string, unknown>>;

/** Who reports an encounter owns it. */
export function* creator(_: Encounter, { before, caller }: RuleContext): Work<string | null> {
  return before === null ? caller.id : null;
}

/** A new encounter waits for a review where the site asks for one. */
export function* initialState(_: Encounter, { site }: RuleContext): Work<'pending' | 'approved'> {
  return site.reviewEncounters ? 'pending' : 'approved';
}

/** The privacy of the taxon, or of the nearest taxon above it that has one; else the site's. */
export function* inheritedPrivacy(encounter: Encounter, context: RuleContext): Work<unknown> {
  const taxonomy = encounter['taxonomy'];
  const line =
    typeof taxonomy === 'string'
      ? yield* context.upwards('taxonomy', taxonomy, 'parent', 'location_privacy')
      : [];
  return line.find((privacy) => privacy !== null) ?? context.site.defaultLocationPrivacy;
}
