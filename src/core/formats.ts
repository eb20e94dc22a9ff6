/** Formats of texts that standards define, and the length of passwords. */
import { domainToASCII } from 'node:url';
import { all } from 'iso-3166-1';
import { MAX, NIL, validate, version } from 'uuid';
import { fold } from './text';

/** ISO 3166-1 alpha-2, in upper case; and Kosovo, by the code that all use in its place (user-assigned there). */
export const COUNTRY_CODES: readonly string[] = [...all().map((country) => country.alpha2), 'XK'];
const countries = new Set(COUNTRY_CODES);

/** What people write for an ISO code. */
export const COUNTRY_ALIASES: Readonly<Record<string, string>> = { UK: 'GB' };

export const isCountryCode = (text: string): boolean => countries.has(text);

/** Whether a text is an absolute http or https URL that carries no credentials. */
export function isWebUrl(text: string): boolean {
  // The parser drops tabs and line ends anywhere in the text.
  if (/[\t\n\r]/.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}

/** Whether a text is a web origin in its one spelling: scheme and host, and a port other than the scheme's own. */
export const isOrigin = (text: string): boolean => isWebUrl(text) && new URL(text).origin === text;

/**
 * An e-mail address as an HTML input accepts it, with a dot in the domain
 * (https://html.spec.whatwg.org/#e-mail-state-(type=email)).
 */
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+$/;

export const isEmail = (text: string): boolean => EMAIL.test(withAsciiDomain(text));

/** An address with its domain as DNS has it (Punycode, RFC 3492): two spellings of one domain are one. */
function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  // The parser drops line ends and what cannot be seen: these stay, and are no domain.
  if (!/[^\p{ASCII}]/u.test(domain) || /[\p{C}\s]/u.test(domain)) return address;
  return address.slice(0, at) + (domainToASCII(domain) || domain);
}

/** The key that is the same for all spellings of an e-mail address. */
export const addressKey = (address: string): string => fold(withAsciiDomain(address));

/**
 * Characters of a language tag: twice the maximum in RFC 5646, section 4.4.1. Bounded because the check takes quadratic
 * time.
 */
const MAX_TAG = 70;

/** The canonical form of a BCP 47 tag (`eng` gives `en`), null for any other text. */
export function canonicalLanguage(tag: string): string | null {
  // What cannot be a tag need not cost an exception.
  if (tag.length > MAX_TAG || !/^[a-z0-9-]+$/i.test(tag)) return null;
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}

/** Whether a text is a UUID of any version, in upper or lower case. The nil and the max UUID are not accepted. */
export const isUuid = (text: string): boolean =>
  validate(text) && text !== NIL && text.toLowerCase() !== MAX;

/** Versions of UUIDs that contain the time at which they were made (RFC 9562). */
const TIMED: ReadonlySet<number> = new Set([1, 2, 6, 7]);

/** Whether a UUID tells when it was made. */
export const tellsTime = (uuid: string): boolean => isUuid(uuid) && TIMED.has(version(uuid));

/** Characters of a password (contract, section 5); `schema.json` of the user says the same. */
export const MIN_PASSWORD = 10;
export const MAX_PASSWORD = 128;
