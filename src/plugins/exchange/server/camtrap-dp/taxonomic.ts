import type { Fault } from '../package/fault';
import { asList, asRecord, asText } from '../package/json';
import { DESCRIPTOR } from '../package/package-files';
import { higherTaxa, keysIn, type PackageTaxon } from '../package/taxa';

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
    const scientificName = asText(taxon.scientificName);
    if (scientificName === null) {
      faults.push(fault(`${path}.scientificName`, 'is missing', taxon.scientificName));
      return [];
    }
    const rank = asText(taxon.taxonRank)?.toLowerCase() ?? null;
    const taxonId = asText(taxon.taxonID) ?? '';
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
        higher: higherTaxa((higher) => asText(taxon[higher]), HIGHER_RANKS, scientificName, rank),
        place: { file: DESCRIPTOR, line: null, field: 'taxonomic' },
      },
    ];
  });
}

/** Camtrap DP uses ISO 639-3 codes; BCP 47 requires the shortest code of a language (`en` for `eng`). */
function vernacularNamesOf(value: unknown, path: string, faults: Fault[]): Record<string, string> {
  const names: Record<string, string> = {};
  for (const [language, text] of Object.entries(asRecord(value))) {
    const name = asText(text);
    const tag = canonicalTag(language);
    if (tag === null)
      faults.push(fault(`${path}.${language}`, 'is not under a language tag', text));
    else if (name !== null) names[tag] ??= name;
  }
  return names;
}

function canonicalTag(language: string): string | null {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? null;
  } catch {
    return null;
  }
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
