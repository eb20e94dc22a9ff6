/** The addresses of the terms of Darwin Core, and of what it takes from Dublin Core. */

const DARWIN_CORE = 'http://rs.tdwg.org/dwc/terms/';
const DUBLIN_CORE = 'http://purl.org/dc/terms/';
const GBIF = 'http://rs.gbif.org/terms/1.0/';

const OF_GBIF: ReadonlySet<string> = new Set(['gbifID', 'datasetKey', 'publishingOrgKey', 'issue']);

/** Of Dublin Core (https://dwc.tdwg.org/terms/#record-level, https://rs.gbif.org/extension/gbif/1.0/multimedia.xml). */
const OF_DUBLIN_CORE: ReadonlySet<string> = new Set([
  ...[
    'accessRights',
    'created',
    'description',
    'format',
    'identifier',
    'language',
    'license',
    'modified',
    'rightsHolder',
  ],
  ...['title', 'type', 'rights', 'references', 'bibliographicCitation'],
]);

/** The address of a term: `http://rs.tdwg.org/dwc/terms/eventDate`. */
export const termAddress = (term: string): string =>
  OF_GBIF.has(term)
    ? `${GBIF}${term}`
    : `${OF_DUBLIN_CORE.has(term) ? DUBLIN_CORE : DARWIN_CORE}${term}`;

/** Whether a term is a class, whose objects are rows of an extension: `MeasurementOrFact`. */
export const isClassTerm = (term: string): boolean => /^[A-Z]/.test(term);

/** The term of the ID of a class: `occurrenceID` of `Occurrence`. */
export const idTermOf = (term: string): string =>
  `${term.charAt(0).toLowerCase()}${term.slice(1)}ID`;
