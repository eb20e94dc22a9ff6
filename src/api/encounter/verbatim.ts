/** The field `verbatim`: what an import has read and could not place. */
import type { FieldDeclaration } from '../../plugins/objects/server/declare/declaration';
import { HIDDEN } from './privacy';

/**
 * Terms of Darwin Core (https://dwc.tdwg.org/terms/) and Audubon Core (https://ac.tdwg.org/termlist/) that describe the
 * animal, its habitat or the method. None of them names a person or a place, and none is a free note, which may.
 */
const PUBLIC: ReadonlySet<string> = new Set([
  ...['individualCount', 'organismQuantity', 'organismQuantityType', 'organismScope', 'sex'],
  ...['lifeStage', 'reproductiveCondition', 'caste', 'behavior', 'vitality'],
  ...['establishmentMeans', 'degreeOfEstablishment', 'pathway', 'occurrenceStatus'],
  ...['verbatimIdentification', 'identificationQualifier', 'identificationVerificationStatus'],
  ...['typeStatus', 'scientificName', 'scientificNameAuthorship', 'taxonRank', 'vernacularName'],
  ...['verbatimTaxonRank', 'taxonomicStatus', 'nomenclaturalCode', 'nomenclaturalStatus'],
  ...['acceptedNameUsage', 'parentNameUsage', 'originalNameUsage', 'higherClassification'],
  ...['kingdom', 'phylum', 'class', 'order', 'superfamily', 'family', 'subfamily', 'tribe'],
  ...['subtribe', 'genus', 'genericName', 'subgenus', 'infragenericEpithet', 'specificEpithet'],
  ...['infraspecificEpithet', 'cultivarEpithet', 'basisOfRecord', 'type', 'preparations'],
  ...['habitat', 'samplingProtocol', 'sampleSizeValue', 'sampleSizeUnit', 'samplingEffort'],
  ...['eventType', 'subjectPart', 'subjectOrientation', 'captureDevice'],
  'resourceCreationTechnique',
]);

/** The public terms of a value; null without one. */
function publicTerms(value: unknown): unknown {
  const entries = Object.entries((value ?? {}) as Readonly<Record<string, unknown>>);
  const shown = entries.filter(([term]) => PUBLIC.has(term));
  return shown.length === 0 ? null : Object.fromEntries(shown);
}

export const verbatim = {
  views: HIDDEN,
  kind: 'textsByTerm',
  written: ['own'],
  onCreate: true,
  toStrangers: publicTerms,
  description:
    'What the source of an import said under terms that have no field here, or that could not be read, by term. Strangers see those terms of it that describe the animal, its habitat and the method, where the encounter is open to them. Written by imports, moderators and the owner.',
} satisfies FieldDeclaration;
