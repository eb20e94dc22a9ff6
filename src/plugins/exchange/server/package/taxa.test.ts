import type { Fault } from './fault';
import { taxonKeyOf, type PackageTaxon } from './named-taxon';
import { planTaxa as planAll, type TaxonPlan } from './taxa';
import { readTaxonomic } from '../camtrap-dp/taxonomic';

const PLACE = { file: 'datapackage.json', line: null, field: 'taxonomic' };

/** The plan for names without ranks, and the taxon of each name. */
function planTaxa(names: readonly string[], described: readonly PackageTaxon[]) {
  const used = names.map((scientificName) => ({ scientificName, rank: null }));
  const { taxa, byKey } = planAll(used, described, PLACE);
  const get = (scientificName: string): TaxonPlan | null | undefined =>
    byKey.get(taxonKeyOf({ scientificName, rank: null }));
  return { taxa, byName: { get } };
}

const lineage = (taxon: TaxonPlan | null | undefined): string[] =>
  taxon ? [`${taxon.rank} ${taxon.scientificName}`, ...lineage(taxon.parent)] : [];

test('languages are canonical, and what is no language tag is told', () => {
  const faults: Fault[] = [];
  const [taxon] = readTaxonomic(
    [
      {
        scientificName: 'Vulpes vulpes',
        taxonRank: 'Species',
        vernacularNames: { eng: 'red fox', en: 'fox', 'pt-br': 'raposa', nl: ' ', '!': 'x' },
      },
      { taxonRank: 'species' },
    ],
    faults,
  );
  expect(taxon).toMatchObject({
    rank: 'species',
    vernacularNames: { en: 'red fox', 'pt-BR': 'raposa' },
  });
  expect(faults.map(({ field, reason }) => `${field} ${reason}`)).toEqual([
    'taxonomic.0.vernacularNames.! is not under a language tag',
    'taxonomic.1.scientificName is missing',
  ]);
});

const KEYS = [
  ['https://www.gbif.org/species/5219243', 5_219_243, null],
  ['https://api.gbif.org/v1/species/5219243', 5_219_243, null],
  ['gbif:5219243', 5_219_243, null],
  [
    'https://www.itis.gov/servlet/SingleRpt/SingleRpt?search_topic=TSN&search_value=180604',
    null,
    180_604,
  ],
  ['urn:lsid:itis.gov:itis_tsn:180604', null, 180_604],
  ['https://www.checklistbank.org/dataset/COL2023/taxon/5BSG3', null, null],
  ['5219243', null, null],
  ['gbif:99999999999', null, null],
] as const;

test.each(KEYS)('the taxonID %s', (taxonID, gbifKey, itisTsn) => {
  expect(readTaxonomic([{ scientificName: 'Vulpes vulpes', taxonID }], [])).toMatchObject([
    { gbifKey, itisTsn },
  ]);
});

test('what is above a taxon is planned before it, once for all below', () => {
  const higher = { kingdom: 'Animalia', class: 'Mammalia', family: 'Canidae', genus: 'Vulpes' };
  const taxonomic = readTaxonomic(
    [
      { scientificName: 'Vulpes vulpes', taxonRank: 'species', ...higher },
      { scientificName: 'Vulpes', taxonRank: 'genus', ...higher, vernacularNames: { en: 'foxes' } },
      { scientificName: 'Homo sapiens', taxonRank: 'species' },
    ],
    [],
  );
  const { taxa, byName } = planTaxa(['vulpes Vulpes', 'Vulpes', 'Felis'], taxonomic);
  expect(taxa.map(({ scientificName }) => scientificName)).toEqual([
    ...['Animalia', 'Mammalia', 'Canidae', 'Vulpes', 'Vulpes vulpes'],
    'Felis',
  ]);
  expect(lineage(byName.get('vulpes vulpes'))).toEqual([
    'species Vulpes vulpes',
    'genus Vulpes',
    'family Canidae',
    'class Mammalia',
    'kingdom Animalia',
  ]);
  expect(byName.get('vulpes')?.vernacularNames).toEqual({ en: 'foxes' });
  expect(byName.get('felis')).toMatchObject({ scientificName: 'Felis', rank: null, parent: null });
});

test('a genus has the parent that a species of it tells, and a name without rank is the one taxon of that name', () => {
  const higher = { kingdom: 'Animalia', family: 'Ardeidae', genus: 'Ardea' };
  const taxonomic = readTaxonomic(
    [
      { scientificName: 'Ardea', taxonRank: 'genus' },
      { scientificName: 'Animalia' },
      { scientificName: 'Ardea cinerea', taxonRank: 'species', ...higher },
      { scientificName: 'ardea cinerea', taxonRank: 'Species', family: 'Anatidae' },
    ],
    [],
  );
  const { taxa, byName } = planTaxa(['Ardea', 'Animalia', 'ARDEIDAE', 'Ardea cinerea'], taxonomic);
  expect(taxa.map(({ scientificName, rank }) => `${rank} ${scientificName}`)).toEqual([
    'kingdom Animalia',
    'family Ardeidae',
    'genus Ardea',
    'species Ardea cinerea',
  ]);
  expect(lineage(byName.get('ardea'))).toEqual([
    'genus Ardea',
    'family Ardeidae',
    'kingdom Animalia',
  ]);
  expect(byName.get('ardeidae')).toBe(byName.get('ardea')?.parent);
});
