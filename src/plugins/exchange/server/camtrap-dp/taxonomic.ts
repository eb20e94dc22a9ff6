import { canonicalLanguage } from '../../../../core/formats';
import { isMalformedText } from '../../../../core/text';
import type { Fault } from '../package/fault';
import { asList, asRecord, givenText } from '../package/json';
import type { PackageTaxon } from '../package/named-taxon';
import { DESCRIPTOR } from '../package/package-files';
import { MALFORMED } from '../package/row';
import { higherTaxa, keysIn } from '../package/taxa';

/** The ranks of the Camtrap DP profile, from the highest. */
const HIGHER_RANKS = ['kingdom', 'phylum', 'class', 'order', 'family', 'genus'] as const;

/**
 * Reads `taxonomic` (https://camtrap-dp.tdwg.org/metadata/#taxonomic). Invalid parts are left out and added to
 * `faults`.
 */
export function readTaxonomic(value: unknown, faults: Fault[]): PackageTaxon[] {
  return asList(value).flatMap((item, index) => {
    const taxon = asRecord(item);
    const path = `taxonomic.${index}`;
    const textOf = (name: string): string | null =>
      wellFormed(taxon[name], `${path}.${name}`, faults);
    const scientificName = textOf('scientificName');
    if (scientificName === null) {
      if (!isMalformed(taxon.scientificName))
        faults.push(fault(`${path}.scientificName`, 'is missing', taxon.scientificName));
      return [];
    }
    const rank = textOf('taxonRank')?.toLowerCase() ?? null;
    const taxonId = textOf('taxonID') ?? '';
    return [
      {
        scientificName,
        rank,
        vernacularNames: vernacularNamesOf(
          taxon.vernacularNames,
          `${path}.vernacularNames`,
          faults,
        ),
        authorship: null,
        ...keysIn(taxonId),
        higher: higherTaxa(textOf, HIGHER_RANKS, scientificName, rank),
        place: { file: DESCRIPTOR, line: null, field: 'taxonomic' },
      },
    ];
  });
}

/** Camtrap DP uses ISO 639-3 codes; BCP 47 requires the shortest code of a language (`en` for `eng`). */
function vernacularNamesOf(value: unknown, path: string, faults: Fault[]): Record<string, string> {
  const names: Record<string, string> = {};
  for (const [language, text] of Object.entries(asRecord(value))) {
    const name = wellFormed(text, `${path}.${language}`, faults);
    const tag = canonicalLanguage(language);
    if (tag === null)
      faults.push(fault(`${path}.${language}`, 'is not under a language tag', text));
    else if (name !== null) names[tag] ??= name;
  }
  return names;
}

const isMalformed = (value: unknown): boolean =>
  typeof value === 'string' && isMalformedText(value);

/** A text, if it is one; a malformed one is a fault. */
function wellFormed(value: unknown, path: string, faults: Fault[]): string | null {
  if (isMalformed(value)) faults.push(fault(path, MALFORMED, value));
  return givenText(value);
}

function fault(field: string, reason: string, value: unknown): Fault {
  return {
    file: DESCRIPTOR,
    line: null,
    field,
    reason,
    value: value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value),
  };
}
