/** Scientific names as they are written: which part is the name, which its authorship, and what is no name of a taxon. */
import { ownText } from '../../../../core/text';
import { meaning } from '../vocabularies/vocabulary';

export interface ParsedName {
  /** The name of the taxon; null where the text names none. */
  readonly name: string | null;
  readonly authorship: string | null;
  /** What makes the identification less certain than the whole text: `sp.`, `cf. lupus`; null without it. */
  readonly qualifier: string | null;
}

/** What makes the name in front of it that of the taxon above what follows. */
const QUALIFIER =
  /^(\S.*?)\s+((?:cf|aff|nr|near|sp|spp|ssp|subsp|species|indet|gr|agg|complex)\.?(?:\s.*)?|\?.*)$/iu;

/** The marks that are qualifiers even where an epithet follows them. */
const DOUBT = /^(?:cf|aff|nr|near|gr)\.?\s/i;

const EPITHET = String.raw`[\p{Ll}][\p{Ll}\d-]+`;

/** Particles with which the names of authors begin, in lower case as epithets are. */
const PARTICLE =
  /^(?:de|da|di|du|des|del|della|van|von|zu|den|der|la|le|et|ex|in|and|fil|bis|auct|non|nec|sensu|emend)$/;

const NAME = new RegExp(
  String.raw`^(\p{Lu}[\p{L}-]+)(?:\s\((\p{Lu}[\p{Ll}-]+)\))?((?:\s(?:(?:subsp|ssp|var|f|fo|forma|subvar)\.?\s)?${EPITHET})*)(?:\s(.+))?$`,
  'u',
);

/** An authorship begins with a capital letter, a parenthesis or a particle. */
const AUTHORSHIP = /^(?:\(?\s?(?:\p{Lu}|d[’'])|\(?(?:de|da|di|du|del|van|von|la|le)\s)/u;

const HYBRID = /\s[x×]\s|^[x×]\s?\p{Lu}|×/u;

/** The names that were parsed last, because those of a dataset recur; and how many. */
const parsed = new Map<string, ParsedName>();
const MAX_PARSED = 4_096;

/**
 * Parses a name. Blanks are single; a name in one case alone is written as names are.
 *
 * @param isZoological whether `subsp.` before an epithet is left out, as the names of animals are written
 */
export function parseName(given: string, isZoological: boolean): ParsedName {
  const key = `${isZoological ? 'z' : 'b'}${given}`;
  const known = parsed.get(key);
  if (known) return known;
  const name = parse(ownText(given), isZoological);
  if (parsed.size === MAX_PARSED) parsed.clear();
  parsed.set(ownText(key), name);
  return name;
}

function parse(given: string, isZoological: boolean): ParsedName {
  const text = cased(given.replace(/\s+/gu, ' ').trim());
  if (meaning('unnamed_taxon', text) !== null)
    return { name: null, authorship: null, qualifier: null };
  if (HYBRID.test(text))
    return { name: text.replace(/\sx\s/gu, ' × '), authorship: null, qualifier: null };
  const slash = /^(\p{Lu}[\p{Ll}-]+) ([\p{Ll}-]+\/[\p{Ll}-]+.*)$/u.exec(text);
  if (slash) return { name: slash[1] ?? text, authorship: null, qualifier: slash[2] ?? null };
  const qualified = QUALIFIER.exec(text);
  if (qualified) {
    const [, above = '', qualifier = ''] = qualified;
    const isRankMark = /^(?:ssp|subsp)\.?\s\p{Ll}/u.test(qualifier);
    if (!isRankMark || DOUBT.test(qualifier)) return { ...apart(above, isZoological), qualifier };
  }
  return { ...apart(text, isZoological), qualifier: null };
}

/** The name and the authorship behind it. */
function apart(text: string, isZoological: boolean): Pick<ParsedName, 'name' | 'authorship'> {
  const whole = { name: text, authorship: null };
  const match = NAME.exec(text);
  if (!match) return whole;
  const [, genus = '', subgenus, epithets = '', rest] = match;
  const words = epithets
    .trim()
    .split(' ')
    .filter((word) => word !== '');
  const end = words.findIndex((word) => PARTICLE.test(word));
  const own = end === -1 ? words : words.slice(0, end);
  const authorship = [...(end === -1 ? [] : words.slice(end)), ...(rest ? [rest] : [])].join(' ');
  if (authorship !== '' && !AUTHORSHIP.test(authorship)) return whole;
  // `Felis (Felis)` is a subgenus, and `Canis (Linnaeus)` a genus with its author, which looks alike.
  if (subgenus !== undefined && own.length === 0) return whole;
  const parts = isZoological ? own.filter((word) => !/^(?:ssp|subsp)\.?$/.test(word)) : own;
  return { name: [genus, ...parts].join(' '), authorship: authorship || null };
}

/** `CANIS LUPUS` and `canis lupus` as `Canis lupus`. */
function cased(text: string): string {
  const letters = text.replace(/[^\p{L}]/gu, '');
  const isOneCase = letters === letters.toUpperCase() || letters === letters.toLowerCase();
  if (!isOneCase || !/^\p{L}[\p{L} -]+$/u.test(text)) return text;
  return text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();
}
