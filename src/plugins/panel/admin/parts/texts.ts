/** Texts of the panel's own parts, in the reader's language. */
import { useCallback } from 'react';
import { useIntl } from 'react-intl';

type Values = Record<string, number | string>;
export type Translate = (id: string, values?: Values) => string;

/** @param part the texts of which part (`panel.<part>.<id>`) */
export function usePanelTexts(part: string): Translate {
  const intl = useIntl();
  return useCallback(
    (id, values = {}) =>
      intl.formatMessage({ id: `panel.${part}.${id}`, defaultMessage: id }, values),
    [intl, part],
  );
}

const MINUTE = ['minute', 60_000] as const;
const UNITS = [['day', 86_400_000], ['hour', 3_600_000], MINUTE] as const;

/** How long ago something was, as people say it. @param now milliseconds since 1970 */
export function ageText(at: string, now: number, language: string): string {
  const past = now - Date.parse(at);
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  for (const [unit, length] of UNITS)
    if (past >= length) return format.format(-Math.floor(past / length), unit);
  return format.format(0, 'minute');
}

/** A span of time in the largest unit of which there are two. */
export function spanText(milliseconds: number, language: string): string {
  const [unit, length] = UNITS.find(([, one]) => milliseconds >= 2 * one) ?? MINUTE;
  const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' });
  return format.format(Math.floor(milliseconds / length));
}

/** A time of the service, in the reader's zone. */
export const momentText = (at: string, language: string): string =>
  new Date(at).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' });
