/** The values of an encounter that are computed from others and from the settings of the site. */
import type { RuleContext } from '../../../plugins/objects/server/declare/behavior';

type Encounter = Readonly<Record<string, unknown>>;

/** The state of a new encounter: pending if the site reviews encounters. */
export const initialState = (_: Encounter, { site }: RuleContext): 'pending' | 'approved' =>
  site.reviewEncounters ? 'pending' : 'approved';

const text = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/**
 * The key of an import: an external ID is unique per source, or per owner where there is no source.
 *
 * @returns null for an encounter that claims none: without an external ID, or with neither source
 *   nor owner
 */
export function importKey(encounter: Encounter): string | null {
  const externalId = text(encounter['external_id']);
  const source = text(encounter['source']);
  const owner = text(encounter['owner']);
  if (externalId === null) return null;
  if (source !== null) return `source\u001f${source}\u001f${externalId}`;
  return owner === null ? null : `owner\u001f${owner}\u001f${externalId}`;
}
