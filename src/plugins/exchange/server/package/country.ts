/** Countries: what texts mean them, and where they are. */
import { feature, featuresContaining } from '@rapideditor/country-coder';
import { COUNTRY_ALIASES, COUNTRY_CODES, isCountryCode } from '../../../../core/formats';
import { foldWord } from '../vocabularies/vocabulary';

/** The languages in which the names of countries are known, from Unicode's CLDR, which Node has. */
const LANGUAGES = [
  ...['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'da', 'nb', 'sv', 'fi', 'pl', 'cs', 'hu', 'ro'],
  ...['tr', 'ru', 'uk', 'el', 'ja', 'zh', 'zh-TW', 'ko', 'id', 'sw', 'af'],
];

/** Codes that publishers use beside those of ISO 3166-1. */
const FURTHER: Readonly<Record<string, string>> = { ...COUNTRY_ALIASES, EL: 'GR' };

let byName: ReadonlyMap<string, string> | null = null;

/** Codes by folded names, made when the first is asked for. */
function names(): ReadonlyMap<string, string> {
  if (byName) return byName;
  const found = new Map<string, string>();
  for (const language of LANGUAGES) {
    const shown = new Intl.DisplayNames([language], { type: 'region' });
    for (const code of COUNTRY_CODES) {
      const name = foldWord(shown.of(code) ?? '');
      if (name !== '' && !found.has(name)) found.set(name, code);
    }
  }
  for (const code of COUNTRY_CODES)
    for (const alias of feature(code)?.properties.aliases ?? [])
      if (alias.length > 3 && !found.has(foldWord(alias))) found.set(foldWord(alias), code);
  return (byName = found);
}

/** The country of an alpha-2 or alpha-3 code, in any case; null for other texts. */
export function countryOfCode(text: string): string | null {
  const code = text.toUpperCase();
  const known = FURTHER[code] ?? code;
  if (isCountryCode(known)) return known;
  if (!/^[A-Z]{3}$/.test(code)) return null;
  const { iso1A3 = '', iso1A2 = '' } = feature(code)?.properties ?? {};
  return iso1A3 === code && isCountryCode(iso1A2) ? iso1A2 : null;
}

/** The country of a code or a name in one of the known languages; null for other texts. */
export const countryOf = (text: string): string | null =>
  countryOfCode(text) ?? names().get(foldWord(text)) ?? null;

/** The places of a data set recur: each is looked up once, by degrees to the hundredth. */
const kept = new Map<string, ReadonlySet<string>>();
const MAX_KEPT = 50_000;

/** The codes of the countries and territories at a point; none at sea. */
function countriesAt(latitude: number, longitude: number): ReadonlySet<string> {
  const key = `${latitude.toFixed(2)} ${longitude.toFixed(2)}`;
  const known = kept.get(key);
  if (known) return known;
  const codes = featuresContaining([longitude, latitude]).flatMap(
    ({ properties: { iso1A2 } }) => iso1A2 ?? [],
  );
  if (kept.size >= MAX_KEPT) kept.clear();
  const found = new Set(codes);
  kept.set(key, found);
  return found;
}

/** Degrees around a point within which a border may lie: borders are drawn simplified, and positions rounded. */
const NEAR = 0.25;

const isNear = (latitude: number, longitude: number, country: string): boolean =>
  [0, -NEAR, NEAR].some((north) =>
    [0, -NEAR, NEAR].some((east) =>
      countriesAt(clamp(latitude + north, 90), clamp(longitude + east, 180)).has(country),
    ),
  );

const clamp = (degrees: number, most: number): number => Math.max(-most, Math.min(most, degrees));

/** Where a position lies, seen from the country that it should be in. */
export type Whereabouts =
  | { readonly is: 'there' | 'unknown' | 'swapped' }
  | { readonly is: 'elsewhere'; readonly country: string };

/**
 * Whether a position is in its country. Of one at sea nothing is concluded, unless latitude and longitude are swapped.
 */
export function whereabouts(latitude: number, longitude: number, country: string): Whereabouts {
  if (isNear(latitude, longitude, country)) return { is: 'there' };
  if (Math.abs(longitude) <= 90 && countriesAt(longitude, latitude).has(country))
    return { is: 'swapped' };
  const [other] = countriesAt(latitude, longitude);
  return other === undefined ? { is: 'unknown' } : { is: 'elsewhere', country: other };
}
