import type { RuleContext } from '../../../plugins/objects/server/define/declaration';
import { keepUnshown } from '../../../plugins/objects/server/validate/custom-fields';

type Encounter = Readonly<Record<string, unknown>>;

/** Custom fields that forms do not show stay as they are. */
export const unshownStay = (
  { custom_fields: values }: Encounter,
  { before, site }: RuleContext,
): Encounter =>
  keepUnshown(
    values as Encounter,
    (before?.['custom_fields'] ?? {}) as Encounter,
    site.customFields['encounter'] ?? [],
  );

/** A new encounter waits for a review where the site asks for one. */
export const initialState = (_: Encounter, { site }: RuleContext): 'pending' | 'approved' =>
  site.reviewEncounters ? 'pending' : 'approved';
