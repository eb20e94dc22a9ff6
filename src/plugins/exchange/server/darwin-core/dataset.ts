import type { ImportJob } from '../import/summary';
import type {
  Dataset,
  Draft,
  EncounterPhotographs,
  PackagePhotographs,
  StagedRecords,
} from '../package/dataset';
import type { PackageFiles } from '../package/package-files';
import type { SiteFields } from '../package/dataset';
import type { ValuePlace } from '../package/fault';
import { planTaxa, type TaxaPlan } from '../package/taxa';
import { isFitting } from '../package/verbatim';
import type { Body } from '../../../objects/server/declare/objects';
import { verbatimPosition } from './position';
import { readMetadata } from './eml';
import { describeTable } from './lone-table';
import { readMeta, type Archive } from './meta';
import { sourceOf, type ArchiveFacts } from './occurrence';
import { ABSENT, readArchive } from './reading';
import { firstRow } from './rows';
import { ArchiveStaging, type StagedOccurrence } from './staging';

/** The columns of fields that are read from more than the column of their term. */
const COLUMNS: Readonly<Record<string, string>> = {
  taxonomy: 'scientificName',
  external_id: 'occurrenceID',
  measurements: 'measurementType',
};

/**
 * A Darwin Core archive of occurrences (https://dwc.tdwg.org/text/).
 *
 * @throws PackageError when it is none, or cannot be imported
 */
export async function openDarwinCore(files: PackageFiles): Promise<Dataset> {
  const archive = files.table === null ? await readMeta(files) : await describeTable(files);
  const metadata = await readMetadata(files, archive.metadata);
  const first = await firstRow(files, archive.core);
  const source =
    first?.text('datasetID') ?? metadata.id ?? first?.text('datasetName') ?? files.name;
  const facts: ArchiveFacts = {
    source: first ? sourceOf(first, source) : source,
    license: metadata.license,
    separators: archive.core.listSeparators,
  };
  return {
    source: facts.source,
    leftOut: [ABSENT],
    faults: [...archive.faults, ...metadata.faults],
    sharedFiles: [],
    stage: (job, site) => stage(files, archive, facts, site, job),
  };
}

async function stage(
  files: PackageFiles,
  archive: Archive,
  facts: ArchiveFacts,
  site: SiteFields,
  job: ImportJob,
): Promise<StagedRecords> {
  const staging = new ArchiveStaging();
  try {
    await readArchive(archive, facts, site, { files, staging, job });
    return recordsOf(staging, site, job);
  } catch (error) {
    staging.close();
    throw error;
  }
}

function recordsOf(
  staging: ArchiveStaging,
  { declared }: SiteFields,
  job: ImportJob,
): StagedRecords {
  const columnOf = (field: string): string => COLUMNS[field] ?? declared.get(field)?.term ?? field;
  // One more than fit, so that a longer list is refused and not cut.
  const limit = (declared.get('measurements')?.maxItems ?? 0) + 1;
  const [first] = staging.taxa;
  const place = first?.place ?? { file: '', line: null, field: 'scientificName' };
  const plan = planTaxa(staging.taxa, staging.taxa, place);
  const animalOf = staging.organisms.settle(plan, job.report);
  return {
    count: () => ({ encounters: staging.count, merged: 0 }),
    taxa: () => plan,
    *drafts() {
      for (const occurrence of staging.occurrences())
        yield draftOf(occurrence, { staging, limit, columnOf, plan, animalOf, job });
    },
    photographs: () => Promise.resolve(photographsOf(staging)),
    close: () => staging.close(),
  };
}

interface Drafting {
  readonly staging: ArchiveStaging;
  /** Measurements of an encounter. */
  readonly limit: number;
  readonly columnOf: (field: string) => string;
  readonly plan: TaxaPlan;
  readonly animalOf: ReturnType<ArchiveStaging['organisms']['settle']>;
  readonly job: ImportJob;
}

function draftOf(occurrence: StagedOccurrence, drafting: Drafting): Draft {
  const { staging, limit, columnOf, plan, animalOf, job } = drafting;
  const { source, facts, organism, origin } = occurrence;
  const measurements = [...facts, ...staging.factsOf(occurrence, limit)];
  const placeOf = (field: string): ValuePlace => ({ ...origin, field: columnOf(field) });
  const verbatim: Record<string, string> = { ...occurrence.verbatim };
  const addresses = staging.addressesOf(occurrence);
  if (addresses.length > 0) verbatim['associatedMedia'] = addresses.join(' | ');
  keepRests(occurrence, verbatim, drafting);
  const body = unswapped(occurrence, verbatim, drafting);
  const isAmbiguous = occurrence.taxon !== null && plan.byKey.get(occurrence.taxon) === null;
  if (isAmbiguous) {
    const [name = ''] = JSON.parse(occurrence.taxon ?? '[]') as string[];
    const reason = 'is a name in two kingdoms, and the row does not say of which';
    verbatim['scientificName'] ??= name;
    job.report({ ...placeOf('taxonomy'), reason, value: name });
  }
  return {
    body: {
      ...body,
      ...(measurements.length === 0 ? {} : { measurements }),
      ...(Object.keys(verbatim).length === 0 ? {} : { verbatim }),
    },
    taxon: isAmbiguous ? null : occurrence.taxon,
    organism: organism && animalOf(source, organism.id),
    origin,
    placeOf,
  };
}

/** Rows of extensions whose cells are kept with one encounter. */
const MAX_RESTS = 1000;

/** Keeps what rows of extensions say without a field: by the name of their table, as a JSON list. */
function keepRests(
  occurrence: StagedOccurrence,
  verbatim: Record<string, string>,
  { staging, job }: Drafting,
): void {
  const rests = staging.restsOf(occurrence, MAX_RESTS + 1);
  if (rests.length > MAX_RESTS) {
    const reason = `has more than ${MAX_RESTS} rows of extensions; the cells without a field of further ones are kept nowhere`;
    job.report({ ...occurrence.origin, field: 'occurrenceID', reason, value: occurrence.id });
  }
  const kept = rests.slice(0, MAX_RESTS);
  for (const table of new Set(kept.map((rest) => rest.table))) {
    const rows = kept.filter((rest) => rest.table === table);
    const text = JSON.stringify(rows.map(({ cells }) => cells));
    const isKept = !Object.hasOwn(verbatim, table) && isFitting({ ...verbatim, [table]: text });
    if (isKept) verbatim[table] = text;
    for (const { file, columns } of rows)
      for (const column of columns)
        if (isKept) job.kept(file, column);
        else job.unread(file, column, 1);
  }
}

const SWAPPED =
  'is left out: of this dataset, nine in ten positions lie in their country only when latitude and longitude are swapped';

/** The fields of an encounter, without a position where those of its dataset are swapped: it is kept as it was given. */
function unswapped(
  { source, body, origin }: StagedOccurrence,
  verbatim: Record<string, string>,
  { staging, job, columnOf }: Drafting,
): Body {
  const { latitude, longitude, coordinate_uncertainty: uncertainty, ...rest } = body;
  if (typeof latitude !== 'number' || !staging.isSwapped(source)) return body;
  const given = verbatimPosition(String(latitude), String(longitude), (term) => term in verbatim);
  Object.assign(verbatim, given);
  if (typeof uncertainty === 'number')
    verbatim['coordinateUncertaintyInMeters'] = String(uncertainty);
  job.report({ ...origin, field: columnOf('latitude'), reason: SWAPPED, value: String(latitude) });
  return rest;
}

function photographsOf(staging: ArchiveStaging): PackagePhotographs | null {
  const count = staging.photographs;
  if (count === 0) return null;
  return {
    count,
    *byEncounter(): Generator<EncounterPhotographs> {
      for (const occurrence of staging.photographed())
        yield {
          source: occurrence.source,
          externalId: occurrence.id,
          photographs: () =>
            staging.mediaOf(occurrence).map(({ path, body, place }) => ({
              photograph: { id: path, path, body, place },
              asset: staging.assetOf(path),
            })),
        };
    },
    keep: ({ path }, asset) => staging.keepAsset(path, asset),
    // Its tables are those of the staging.
    close: () => undefined,
  };
}
