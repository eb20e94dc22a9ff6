/** The values of the form of the site settings, as far as the previews show them. */
import type { FieldDefinition } from '../inputs/custom-fields-input';
import type { LocalizedTexts } from '../inputs/records/localized-part';
import type { RegionValues } from '../inputs/regions-input';

export interface SettingsValues {
  readonly siteName?: LocalizedTexts | null;
  readonly tagline?: LocalizedTexts | null;
  readonly description?: LocalizedTexts | null;
  readonly announcement?: LocalizedTexts | null;
  readonly contactEmail?: string | null;
  readonly termsUrl?: string | null;
  readonly privacyUrl?: string | null;
  readonly languages?: readonly string[] | null;
  readonly defaultLanguage?: string | null;
  readonly behaviors?: readonly string[] | null;
  readonly regions?: readonly RegionValues[] | null;
  readonly customFields?: Readonly<Record<string, readonly FieldDefinition[] | undefined>> | null;
}

/** A text in the language of the preview, else in that of the site, else in any. */
export type TextIn = (texts: LocalizedTexts | null | undefined) => string;

/** The regions in the order of their tree, with how deep they lie. One whose parents form a circle is shown at the top. */
export function regionTree(
  regions: readonly RegionValues[],
): readonly (RegionValues & { readonly depth: number })[] {
  const isBelow = (region: RegionValues, id: string | null): boolean =>
    (region.parent || null) === id && region.id !== id;
  const seen = new Set<RegionValues>();
  const below = (id: string | null, depth: number): (RegionValues & { depth: number })[] =>
    regions.flatMap((region) => {
      if (!isBelow(region, id) || seen.has(region)) return [];
      seen.add(region);
      return [{ ...region, depth }, ...(region.id ? below(region.id, depth + 1) : [])];
    });
  const tree = below(null, 0);
  return [...tree, ...regions.flatMap((one) => (seen.has(one) ? [] : { ...one, depth: 0 }))];
}
