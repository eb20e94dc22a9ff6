/** Writes a Darwin Core archive of any size: invented, but with the difficulties of real ones. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom, type Random } from '../data/random';
import { makeTaxa } from '../data/taxa';
import { makeDeployments } from './deployments';
import { animalOf, identifiable, instant, shuffled, timeIn, type PackageOptions } from './package';
import { TableFile } from './table-file';
import { createZipf } from './zipf';

const DWC = 'http://rs.tdwg.org/dwc/terms/';

const OCCURRENCE_TERMS = [
  ...['occurrenceID', 'basisOfRecord', 'eventID', 'eventDate', 'organismID', 'scientificName'],
  ...['taxonRank', 'decimalLatitude', 'decimalLongitude', 'geodeticDatum', 'locality'],
  ...['coordinateUncertaintyInMeters', 'individualCount', 'sex', 'lifeStage', 'behavior'],
  ...['recordedBy', 'occurrenceRemarks', 'occurrenceStatus'],
];

const MEASUREMENT_TERMS = [
  'occurrenceID',
  'measurementType',
  'measurementValue',
  'measurementUnit',
];

/** The fraction of occurrences with a measurement, and of those whose time is a month. */
const MEASURED = 0.2;
const VAGUE = 0.02;

/** Writes the three files row by row, so that memory does not depend on their number. */
export function generateArchive({ encounters, folder, seed }: PackageOptions): void {
  mkdirSync(folder, { recursive: true });
  const random = createRandom(seed);
  writeFileSync(join(folder, 'meta.xml'), describeArchive(random.uuid()));
  const occurrences = new TableFile(join(folder, 'occurrence.csv'), OCCURRENCE_TERMS);
  const measurements = new TableFile(join(folder, 'measurementorfact.csv'), MEASUREMENT_TERMS);
  const deployments = makeDeployments(encounters, random);
  const ranks = new Map(makeTaxa().map(({ scientificName, rank }) => [scientificName, rank]));
  const pickTaxon = createZipf(shuffled(identifiable(), random));
  for (let made = 0; made < encounters; made += 1) {
    const place = deployments[Math.floor((made / encounters) * deployments.length)];
    if (!place) throw new RangeError('no deployment');
    const { individualID, individualSpeed, observationComments, count, ...animal } =
      animalOf(random);
    const scientificName = pickTaxon(random);
    const occurrenceID = random.uuid();
    occurrences.add({
      ...animal,
      occurrenceID,
      scientificName,
      basisOfRecord: 'HumanObservation',
      eventID: random.uuid(),
      eventDate: dateOf(timeIn(place, random), random),
      // An animal has one taxon.
      organismID: individualID === null ? null : `${individualID} ${scientificName}`,
      taxonRank: ranks.get(scientificName) ?? null,
      decimalLatitude: place.latitude,
      decimalLongitude: place.longitude,
      geodeticDatum: 'EPSG:4326',
      locality: place.locationName,
      coordinateUncertaintyInMeters: 30,
      individualCount: count,
      recordedBy: `Volunteer ${random.below(200) + 1}`,
      occurrenceRemarks: observationComments,
      occurrenceStatus: 'present',
    });
    if (random.next() < MEASURED)
      measurements.add({
        occurrenceID,
        measurementType: 'speed',
        measurementValue: individualSpeed ?? 0,
        measurementUnit: 'm/s',
      });
  }
  occurrences.close();
  measurements.close();
}

const dateOf = (time: number, random: Random): string =>
  random.next() < VAGUE ? instant(time).slice(0, 7) : instant(time);

const fieldsOf = (terms: readonly string[]): string =>
  terms.map((term, index) => `    <field index="${index}" term="${DWC}${term}"/>\n`).join('');

const FORMAT =
  'encoding="UTF-8" fieldsTerminatedBy="," linesTerminatedBy="\\n" fieldsEnclosedBy="&quot;" ignoreHeaderLines="1"';

/** The descriptor. @param dataset the ID of the dataset */
const describeArchive = (dataset: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<archive xmlns="http://rs.tdwg.org/dwc/text/">
  <core ${FORMAT} rowType="${DWC}Occurrence">
    <files><location>occurrence.csv</location></files>
    <id index="0"/>
${fieldsOf(OCCURRENCE_TERMS)}    <field term="${DWC}datasetID" default="${dataset}"/>
    <field term="http://purl.org/dc/terms/license" default="CC0-1.0"/>
  </core>
  <extension ${FORMAT} rowType="${DWC}MeasurementOrFact">
    <files><location>measurementorfact.csv</location></files>
    <coreid index="0"/>
${fieldsOf(MEASUREMENT_TERMS)}  </extension>
</archive>
`;
