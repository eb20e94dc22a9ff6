/** The texts of the page, in the reader's language. */
import { useCallback } from 'react';
import { useIntl } from 'react-intl';
import type { Individual, Localized, Taxon } from './types';

type Values = Record<string, number | string>;
export type Translate = (id: string, values?: Values) => string;

export function useSay(): Translate {
  const intl = useIntl();
  return useCallback(
    (id, values = {}) =>
      intl.formatMessage({ id: `panel.reviews.${id}`, defaultMessage: id }, values),
    [intl],
  );
}

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

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** How long ago something was, as people say it. @param now milliseconds since 1970 */
export function ageText(at: string, now: number, language: string): string {
  const past = now - Date.parse(at);
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  for (const [unit, length] of UNITS)
    if (past >= length) return format.format(-Math.floor(past / length), unit);
  return format.format(0, 'minute');
}

/** A time of the service, in the reader's zone. */
export const momentText = (at: string, language: string): string =>
  new Date(at).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' });
