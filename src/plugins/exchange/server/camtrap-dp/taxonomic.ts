import type { Fault } from './fault';
import { asList, asRecord, asText, type JsonObject } from './json';

/** The ranks of the Camtrap DP profile, from the highest. */
export const HIGHER_RANKS = ['kingdom', 'phylum', 'class', 'order', 'family', 'genus'] as const;

/** A taxon in the `taxonomic` property of a package. */
export interface PackageTaxon {
  readonly scientificName: string;
  /** In lower case; null if absent. */
  readonly rank: string | null;
  /** By canonical BCP 47 tag. */
  readonly vernacularNames: Readonly<Record<string, string>>;
  readonly gbifKey: number | null;
  readonly itisTsn: number | null;
  /** Its ancestors, from the highest. */
  readonly higher: readonly { readonly rank: string; readonly scientificName: string }[];
}

const GBIF = /^(?:https?:\/\/(?:www\.|api\.)?gbif\.org\/(?:v1\/)?species\/|gbif:)(\d+)\/?$/i;
const ITIS =
  /^(?:https?:\/\/(?:www\.)?itis\.gov\/.*[?&]search_value=|urn:lsid:itis\.gov:itis_tsn:|itis:)(\d+)$/i;

/** The maximum of the fields for foreign keys. */
const MAX_KEY = 2_147_483_647;

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
        gbifKey: keyIn(taxonId, GBIF),
        itisTsn: keyIn(taxonId, ITIS),
        higher: higherOf(taxon, scientificName, rank),
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

/** Only the URL of a record of GBIF or ITIS: the source of a bare number is unknown. */
function keyIn(taxonId: string, pattern: RegExp): number | null {
  const key = Number(pattern.exec(taxonId)?.[1] ?? 0);
  return key > 0 && key <= MAX_KEY ? key : null;
}

function higherOf(taxon: JsonObject, name: string, rank: string | null): PackageTaxon['higher'] {
  const own = HIGHER_RANKS.findIndex((higher) => higher === rank);
  return HIGHER_RANKS.slice(0, own === -1 ? undefined : own).flatMap((higher) => {
    const scientificName = asText(taxon[higher]);
    return scientificName === null || scientificName === name
      ? []
      : [{ rank: higher, scientificName }];
  });
}

function fault(field: string, reason: string, value: unknown): Fault {
  return {
    file: 'datapackage.json',
    line: null,
    field,
    reason,
    value: value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value),
  };
}
