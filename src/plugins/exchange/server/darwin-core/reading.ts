/** Reads the tables of an archive into its staging. */
import type { Job } from '../import/summary';
import type { Origin } from '../package/fault';
import { hasFile, type PackageFiles } from '../package/package-files';
import { sizeOf } from '../package/records';
import type { Row } from '../package/row';
import type { SiteFields } from '../package/dataset';
import { readFact } from './facts';
import { mediumAt, readMedium, type Medium } from './media';
import { ID_COLUMN, type Archive, type ArchiveTable } from './meta';
import { idOf, isAbsent, readOccurrence, sourceOf, type ArchiveFacts } from './occurrence';
import { readRows } from './rows';
import type { ArchiveStaging } from './staging';

/** The kind of rows that say that there was no animal. */
export const ABSENT = 'absent';

interface Context {
  readonly files: PackageFiles;
  readonly staging: ArchiveStaging;
  readonly job: Job;
}

type ReadRow = (row: Row, context: Context) => Promise<void> | void;

/** How the rows of an extension are read, by its row type; others are not read. */
const EXTENSIONS: Readonly<Record<string, ReadRow>> = {
  MeasurementOrFact: stageFact,
  ExtendedMeasurementOrFact: stageFact,
  Multimedia: stageMedium,
  Image: stageMedium,
};

/**
 * Reads all tables. Values that are not certain are left out and reported; rows without an ID, or with that of an
 * earlier one, are refused.
 *
 * @throws PackageError when a table cannot be read
 */
export async function readArchive(
  { core, extensions }: Archive,
  facts: ArchiveFacts,
  site: SiteFields,
  context: Context,
): Promise<void> {
  const { files, staging, job } = context;
  const known = extensions.flatMap((table) => {
    const read = EXTENSIONS[table.rowType];
    return read ? [{ table, read }] : [];
  });
  const sizes = await Promise.all(
    [core, ...known.map(({ table }) => table)].map((table) => sizeOf(files, table)),
  );
  const refused = (): void => void (job.summary.encounters.refused += 1);
  job.progress.start(
    'Reading occurrences',
    sizes.reduce((sum, size) => sum + size, 0),
  );
  try {
    await readTable(core, context, refused, (row) => stageOccurrence(row, facts, site, context));
    for (const { table, read } of known)
      await readTable(
        table,
        context,
        () => undefined,
        (row) => read(row, context),
      );
  } finally {
    job.progress.end();
  }
  staging.finish(
    (id, origin) => {
      refused();
      const reason = 'is the ID of an earlier row';
      job.report({ ...origin, field: 'occurrenceID', reason, value: id });
    },
    (key, origin) => {
      const reason = 'is the ID of no occurrence in the archive';
      job.report({ ...origin, field: 'occurrenceID', reason, value: key });
    },
  );
}

async function readTable(
  table: ArchiveTable,
  { files, job }: Context,
  onRefused: () => void,
  read: (row: Row) => Promise<void> | void,
): Promise<void> {
  const rows = readRows(files, table, {
    onFault: (fault) => {
      onRefused();
      job.report(fault);
    },
    onBytes: (bytes) => job.progress.advance(bytes),
  });
  for await (const row of rows) {
    if (job.stopped()) break;
    await read(row);
    row.faults.forEach(job.report);
  }
}

async function stageOccurrence(
  row: Row,
  facts: ArchiveFacts,
  site: SiteFields,
  context: Context,
): Promise<void> {
  const { staging, job } = context;
  const { summary } = job;
  const id = idOf(row);
  if (id === null) {
    summary.encounters.refused += 1;
    row.refuse('occurrenceID', 'is missing');
    return;
  }
  if (isAbsent(row)) {
    summary.leftOut[ABSENT] = (summary.leftOut[ABSENT] ?? 0) + 1;
    staging.leaveOut(sourceOf(row, facts.source), id, row.text(ID_COLUMN), originOf(row));
    return;
  }
  const occurrence = readOccurrence(row, id, facts, site);
  staging.add(occurrence);
  for (const path of occurrence.media) {
    const place = { ...originOf(row), field: 'associatedMedia' };
    const medium = mediumAt(path, place);
    if (medium === null) row.refuse('associatedMedia', 'is outside of the package');
    await stageFile(id, medium, row, context);
  }
}

function stageFact(row: Row, { staging }: Context): void {
  const key = keyOf(row);
  const fact = key === null ? null : readFact(row);
  if (key !== null && fact !== null) staging.addFact(key, fact, originOf(row));
}

async function stageMedium(row: Row, context: Context): Promise<void> {
  const key = keyOf(row);
  if (key !== null) await stageFile(key, readMedium(row), row, context);
}

/** Counts what is not in the archive. */
async function stageFile(
  key: string,
  medium: Medium | 'elsewhere' | null,
  row: Row,
  { files, staging, job }: Context,
): Promise<void> {
  const { photographs } = job.summary;
  if (medium === null) photographs.refused += 1;
  else if (medium === 'elsewhere' || !(await hasFile(files, medium.path)))
    photographs.elsewhere += 1;
  else staging.addMedium(key, medium, originOf(row));
}

/** The ID of the occurrence of a row of an extension: its own column of that, else the ID of the core's row. */
function keyOf(row: Row): string | null {
  const key = row.text('occurrenceID') ?? row.text(ID_COLUMN);
  if (key === null) row.refuse('occurrenceID', 'is missing');
  return key;
}

const originOf = ({ file, line }: Row): Origin => ({ file, line });
