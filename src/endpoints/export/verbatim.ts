/** What imports have kept under terms without a field (kind `textsByTerm`), in exports. */
import type { Field } from '../../plugins/objects/server/declare/completed';
import type { Body } from '../../plugins/objects/server/declare/objects';
import { traitsOf } from '../../plugins/objects/server/kinds/traits';

/**
 * Terms of an occurrence, its event, place, identification and taxon (https://dwc.tdwg.org/terms/), and of GBIF's
 * downloads, that are columns of their own. What has another term is one JSON column.
 */
export const TERMS: readonly string[] = [
  ...['type', 'modified', 'rights', 'rightsHolder', 'accessRights', 'references'],
  ...['bibliographicCitation', 'institutionID', 'collectionID', 'institutionCode'],
  ...['collectionCode', 'datasetName', 'ownerInstitutionCode', 'informationWithheld'],
  ...['catalogNumber', 'recordNumber', 'recordedByID', 'organismQuantity'],
  ...['organismQuantityType', 'reproductiveCondition', 'caste', 'establishmentMeans'],
  ...['degreeOfEstablishment', 'pathway', 'georeferenceVerificationStatus', 'preparations'],
  ...['disposition', 'associatedOccurrences', 'associatedReferences', 'associatedSequences'],
  ...['associatedTaxa', 'otherCatalogNumbers', 'organismScope', 'associatedOrganisms'],
  ...['previousIdentifications', 'organismRemarks', 'materialEntityID', 'materialSampleID'],
  ...['parentEventID', 'eventType', 'fieldNumber', 'eventTime', 'startDayOfYear', 'endDayOfYear'],
  ...['year', 'month', 'day', 'habitat', 'sampleSizeValue', 'sampleSizeUnit', 'samplingEffort'],
  ...['fieldNotes', 'eventRemarks', 'higherGeographyID', 'higherGeography', 'continent'],
  ...['waterBody', 'islandGroup', 'island', 'country', 'stateProvince', 'county'],
  ...['municipality', 'locality', 'verbatimElevation', 'verbatimDepth', 'locationRemarks'],
  ...['locationAccordingTo', 'coordinatePrecision', 'pointRadiusSpatialFit'],
  ...['verbatimCoordinates', 'verbatimLatitude', 'verbatimLongitude'],
  ...['verbatimCoordinateSystem', 'verbatimSRS', 'footprintWKT', 'footprintSRS'],
  ...['georeferencedBy', 'georeferencedDate', 'georeferenceProtocol', 'georeferenceSources'],
  ...['georeferenceRemarks', 'identificationID', 'verbatimIdentification'],
  ...['identificationQualifier', 'typeStatus', 'identifiedBy', 'identifiedByID'],
  ...['dateIdentified', 'identificationReferences', 'identificationRemarks'],
  ...['scientificNameID', 'nameAccordingTo', 'namePublishedIn', 'originalNameUsage'],
  ...['genericName', 'infragenericEpithet', 'specificEpithet', 'infraspecificEpithet'],
  ...['verbatimTaxonRank', 'nomenclaturalCode', 'nomenclaturalStatus', 'taxonRemarks'],
  ...['gbifID', 'datasetKey', 'publishingOrgKey', 'issue'],
];

const known: ReadonlySet<string> = new Set(TERMS);

/** The term of the JSON column. */
export const REST = 'verbatim';

type Texts = Readonly<Record<string, string>>;

/** The field with what imports have kept; undefined where the caller sees none. */
export const verbatimIn = (fields: readonly Field[]): Field | undefined =>
  fields.find((field) => traitsOf(field).isByTerm);

export const textsOf = (field: Field | undefined, object: Body): Texts =>
  (field && (object[field.name] as Texts | null | undefined)) ?? {};

/** What has no column of its own; null without any. @param isColumn whether there is one of a term */
export function restOf(
  texts: Texts,
  isColumn = (term: string): boolean => known.has(term),
): Texts | null {
  const rest = Object.entries(texts).filter(([term]) => !isColumn(term));
  return rest.length === 0 ? null : Object.fromEntries(rest);
}

/** A photograph that was not fetched. */
interface Elsewhere {
  readonly address: string;
  /** What its row of the extension Multimedia said, by term. */
  readonly cells: Texts;
}

export function photographsElsewhere(texts: Texts): Elsewhere[] {
  const rows = cellsIn(texts['Multimedia'] ?? '[]');
  const byAddress = new Map(rows.map((cells) => [cells['identifier'], cells]));
  return addressesIn(texts).map((address) => ({ address, cells: byAddress.get(address) ?? {} }));
}

/** The addresses of photographs that were not fetched. */
export const addressesIn = ({ associatedMedia = '' }: Texts): string[] =>
  associatedMedia.split('|').flatMap((part) => {
    const address = part.trim();
    return /^https?:\/\//i.test(address) ? [address] : [];
  });

/** The rows of an extension that an import has kept, as JSON; whoever may write `verbatim` may have changed it. */
function cellsIn(text: string): Texts[] {
  try {
    const rows: unknown = JSON.parse(text);
    return Array.isArray(rows) ? rows.filter(isTexts) : [];
  } catch {
    return [];
  }
}

const isTexts = (value: unknown): value is Texts =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((text) => typeof text === 'string');
