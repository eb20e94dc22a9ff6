import { COUNTRY_ALIASES, isCountryCode } from '../../../../core/formats';
import { formatted } from './checks';
import type { KindDefinition } from './kind';
import { asText } from './normalize';
import { text } from './text';

/** ISO 3166-1 alpha-2, stored in upper case. */
export const country: KindDefinition = {
  ...text,
  attributes: ['string'],
  natural: [],
  // Two ASCII letters only: other letters may have an ASCII letter as upper case.
  normalize: (value, field) => {
    const code = asText(value, field);
    if (typeof code !== 'string' || !/^[a-z]{2}$/i.test(code)) return code;
    const upper = code.toUpperCase();
    return COUNTRY_ALIASES[upper] ?? upper;
  },
  check: (field) => formatted(field, 'country', isCountryCode),
  schema: () => ({ type: 'string', pattern: '^\\s*[A-Za-z]{2}\\s*$' }),
};
