import type { Job } from '../import/summary';
import type {
  Dataset,
  Draft,
  EncounterPhotographs,
  Photographs,
  StagedRecords,
} from '../package/dataset';
import type { PackageFiles } from '../package/package-files';
import type { SiteFields } from '../package/dataset';
import { planTaxa } from '../package/taxa';
import { readMetadata } from './eml';
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
  const archive = await readMeta(files);
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
    faults: metadata.faults,
    sharedFiles: [],
    stage: (job, site) => stage(files, archive, facts, site, job),
  };
}

async function stage(
  files: PackageFiles,
  archive: Archive,
  facts: ArchiveFacts,
  site: SiteFields,
  job: Job,
): Promise<StagedRecords> {
  const staging = new ArchiveStaging();
  try {
    await readArchive(archive, facts, site, { files, staging, job });
    return recordsOf(staging, site);
  } catch (error) {
    staging.close();
    throw error;
  }
}

function recordsOf(staging: ArchiveStaging, { declared }: SiteFields): StagedRecords {
  const columnOf = (field: string): string => COLUMNS[field] ?? declared.get(field)?.term ?? field;
  // One more than fit, so that a longer list is refused and not cut.
  const limit = (declared.get('measurements')?.maxItems ?? 0) + 1;
  return {
    count: () => ({ encounters: staging.count, merged: 0 }),
    taxa: () => {
      const [first] = staging.taxa;
      const place = first?.place ?? { file: '', line: null, field: 'scientificName' };
      return planTaxa(staging.taxa, staging.taxa, place);
    },
    *drafts() {
      for (const occurrence of staging.occurrences())
        yield draftOf(occurrence, staging, limit, columnOf);
    },
    photographs: () => Promise.resolve(photographsOf(staging)),
    close: () => staging.close(),
  };
}

function draftOf(
  occurrence: StagedOccurrence,
  staging: ArchiveStaging,
  limit: number,
  columnOf: (field: string) => string,
): Draft {
  const { body, facts, taxon, organism, origin } = occurrence;
  const measurements = [...facts, ...staging.factsOf(occurrence, limit)];
  return {
    body: measurements.length === 0 ? body : { ...body, measurements },
    taxon,
    organism,
    origin,
    placeOf: (field) => ({ ...origin, field: columnOf(field) }),
  };
}

function photographsOf(staging: ArchiveStaging): Photographs | null {
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
