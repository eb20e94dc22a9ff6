/** The texts of the page, in the reader's language. */
import { usePanelTexts, type Translate } from '../../parts/texts';
import type { IncludedRecords, Individual, Localized, Taxon } from './types';
import { NO_ACCOUNT } from './use-page-filter';

export const useSay = (): Translate => usePanelTexts('reviews');

/** A text in a language: in that of the reader, else in English, else in any. */
export function inLanguage(text: Localized | null | undefined, language: string): string | null {
  if (!text) return null;
  return text[language] ?? text['en'] ?? Object.values(text)[0] ?? null;
}

/** A taxon by both of its names. */
export function taxonText(taxon: Taxon | undefined, language: string): string | null {
  if (!taxon) return null;
  const vernacular = inLanguage(taxon.vernacular_names, language);
  return vernacular === null
    ? taxon.scientific_name
    : `${taxon.scientific_name ?? ''} · ${vernacular}`;
}

export const individualText = (one: Individual | undefined): string | null =>
  one ? (one.name ?? one.display_name ?? one.id.slice(0, 8)) : null;

/** Whose records alone are shown; null for those of all. */
export function authorText(
  owner: string,
  { user }: IncludedRecords,
  say: Translate,
): string | null {
  if (owner === '') return null;
  return owner === NO_ACCOUNT
    ? say('of.anonymous')
    : say('of', { name: user?.[owner]?.display_name ?? owner });
}
