/** Texts of our pages, in the reader's language. */
import { useCallback } from 'react';
import { useIntl } from 'react-intl';

type Values = Record<string, number | string>;
export type Translate = (id: string, values?: Values) => string;

/** @param page the texts of which page (`panel.<page>.<id>`) */
export function usePageTexts(page: string): Translate {
  const intl = useIntl();
  return useCallback(
    (id, values = {}) =>
      intl.formatMessage({ id: `panel.${page}.${id}`, defaultMessage: id }, values),
    [intl, page],
  );
}

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
