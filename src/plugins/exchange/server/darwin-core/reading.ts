/** Reads the tables of an archive into its staging. */
import type { ImportJob } from '../import/summary';
import { isMalformedText } from '../../../../core/text';
import type { Fault, Origin } from '../package/fault';
import { hasFile, META, type PackageFiles } from '../package/package-files';
import { sizeOf } from '../package/records';
import { TableRow } from '../package/row';
import type { SiteFields } from '../package/dataset';
import { readFact } from './facts';
import { mediumAt, readArchiveMedium, type ArchiveMedium } from './media';
import { ID_COLUMN, type Archive, type ArchiveTable } from './meta';
import { idOf, isAbsence, readOccurrence, sourceOf, type ArchiveFacts } from './occurrence';
import { readRows } from './rows';
import type { ArchiveStaging } from './staging';

/** The kind of rows that say that there was no animal. */
export const ABSENT = 'absent';

interface Context {
  readonly files: PackageFiles;
  readonly staging: ArchiveStaging;
  readonly job: ImportJob;
}

/** @param rowType the row type of the table, without the namespace */
type ReadRow = (row: TableRow, context: Context, rowType: string) => Promise<void> | void;

/** How the rows of an extension are read, by its row type; of others all cells are kept as they are. */
const EXTENSIONS: Readonly<Record<string, ReadRow | null>> = {
  MeasurementOrFact: stageFact,
  ExtendedMeasurementOrFact: stageFact,
  Multimedia: stageMedium,
  Image: stageMedium,
  // Of a download of GBIF: the rows of the core once more, as their publisher wrote them.
  Occurrence: null,
};

/**
 * Reads all tables. Values that are not certain are left out and reported; rows without an ID, or with that of an
 * earlier one, are refused.
 *
 * @throws PackageError when a table cannot be read
 */
export async function readArchive(
  { core, events, extensions }: Archive,
  facts: ArchiveFacts,
  site: SiteFields,
  context: Context,
): Promise<void> {
  const { files, staging, job } = context;
  const known: { readonly table: ArchiveTable; readonly read: ReadRow }[] = [];
  for (const table of extensions) {
    const isKnown = Object.hasOwn(EXTENSIONS, table.rowType);
    const read = isKnown ? EXTENSIONS[table.rowType] : stageOther;
    if (!read) table.paths.forEach((path) => job.unread(path, table.rowType, null));
    else if (await isThere(files, table, job)) known.push({ table, read });
  }
  const tables = [...(events ? [events] : []), core, ...known.map(({ table }) => table)];
  const sizes = await Promise.all(tables.map((table) => sizeOf(files, table)));
  const refused = (): void => void (job.summary.encounters.refused += 1);
  job.progress.start(
    'Reading occurrences',
    sizes.reduce((sum, size) => sum + size, 0),
  );
  try {
    const above = events ? await readEvents(events, context) : undefined;
    const ofCore = { ...context, isOfEvent: events !== null };
    await readTable(
      core,
      context,
      refused,
      (row) => stageOccurrence(row, facts, site, ofCore),
      above && ((cells) => above(cells[core.columns.get(ID_COLUMN) ?? -1]?.trim() ?? '')),
    );
    for (const { table, read } of known)
      await readTable(
        table,
        context,
        () => undefined,
        (row) => read(row, context, table.rowType),
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
  read: (row: TableRow) => Promise<void> | void,
  above?: (cells: readonly string[]) => TableRow | null,
): Promise<void> {
  const listeners = {
    onFault: (fault: Fault) => {
      onRefused();
      job.report(fault);
    },
    onBytes: (bytes: number) => job.progress.advance(bytes),
  };
  const rows = readRows(files, table, listeners, above);
  for await (const row of rows) {
    if (job.stopped()) break;
    await read(row);
    row.faults.forEach(job.report);
  }
}

/** Whether all files of an extension are in the archive; one that is not is a fault. */
async function isThere(
  files: PackageFiles,
  { paths }: ArchiveTable,
  job: ImportJob,
): Promise<boolean> {
  let isWhole = true;
  for (const file of paths) {
    if (await hasFile(files, file)) continue;
    isWhole = false;
    const reason = 'names a file that is not in the archive, and is not read';
    job.report({ file: META, line: null, field: 'extension', reason, value: file });
  }
  return isWhole;
}

/** Levels of events above each other. */
const MAX_ABOVE = 10;

/** Reads the events of an archive. @returns the row of an event by its ID, with what the events above it say */
async function readEvents(
  table: ArchiveTable,
  { files, job, staging }: Context,
): Promise<(id: string) => TableRow | null> {
  const listeners = {
    onFault: job.report,
    onBytes: (bytes: number) => job.progress.advance(bytes),
  };
  for await (const row of readRows(files, table, listeners)) {
    if (job.stopped()) break;
    const id = row.text(ID_COLUMN) ?? row.text('eventID');
    if (id === null) row.refuse('eventID', 'is missing');
    else if (!staging.addEvent(id, originOf(row), row.all))
      row.refuse('eventID', 'is the ID of an earlier row');
    row.faults.forEach(job.report);
  }
  const find = (id: string, steps: number): TableRow | null => {
    const event = staging.event(id);
    if (!event || steps === 0) return null;
    const { file, line, cells } = event;
    const part = { file, missing: NO_TEXTS, defaults: table.defaults };
    const own = new TableRow(table.columns, cells, line, part);
    const parent = own.peek('parentEventID');
    const above = parent === null || parent === id ? null : find(parent, steps - 1);
    return above ? new TableRow(table.columns, cells, line, part, above) : own;
  };
  return (id) => find(id, MAX_ABOVE);
}

const NO_TEXTS: ReadonlySet<string> = new Set();

async function stageOccurrence(
  row: TableRow,
  facts: ArchiveFacts,
  site: SiteFields,
  context: Context & { readonly isOfEvent: boolean },
): Promise<void> {
  const { staging, job } = context;
  const { summary } = job;
  summary.rows += 1;
  const id = idOf(row, context.isOfEvent);
  if (id === null) {
    summary.encounters.refused += 1;
    row.refuse('occurrenceID', 'is missing');
    return;
  }
  if (isAbsence(row)) {
    summary.leftOut[ABSENT] = (summary.leftOut[ABSENT] ?? 0) + 1;
    staging.leaveOut(sourceOf(row, facts.source), id, row.text(ID_COLUMN), originOf(row));
    return;
  }
  const occurrence = readOccurrence(row, id, facts, site);
  for (const column of Object.keys(occurrence.verbatim ?? {}))
    if (!row.faults.some(({ field }) => field === column)) job.kept(row.file, column);
  staging.add(occurrence);
  for (const path of occurrence.media) {
    const place = { ...originOf(row), field: 'associatedMedia' };
    const medium = mediumAt(path, place);
    if (medium === null) row.refuse('associatedMedia', 'is outside of the package');
    await stageFile(id, medium, path, row, context);
  }
}

function stageFact(row: TableRow, context: Context, rowType: string): void {
  const key = keyOf(row);
  if (key === null) return;
  const fact = readFact(row);
  if (fact !== null) context.staging.addFact(key, fact, originOf(row));
  const id = row.peek('measurementID') ?? '';
  // An archive of this service gives each its place in the list.
  if (id.startsWith(`${key}:`) && /^\d+$/.test(id.slice(key.length + 1))) row.take('measurementID');
  stageRest(row, key, rowType, ['measurementType'], context);
}

async function stageMedium(row: TableRow, context: Context, rowType: string): Promise<void> {
  const key = keyOf(row);
  if (key === null) return;
  const path = row.peek('accessURI') ?? row.peek('identifier') ?? row.peek('references') ?? '';
  await stageFile(key, readArchiveMedium(row), path, row, context);
  if (row.peek('type') === 'StillImage') row.take('type');
  stageRest(row, key, rowType, ['accessURI', 'identifier', 'references'], context);
}

function stageOther(row: TableRow, context: Context, rowType: string): void {
  const key = keyOf(row);
  if (key !== null) stageRest(row, key, rowType, [], context);
}

/** Stages the cells of a row without a field. @param named columns that say which row it is, and are kept beside them */
function stageRest(
  row: TableRow,
  key: string,
  table: string,
  named: readonly string[],
  { staging }: Context,
): void {
  // The ID of the row that it belongs to may be a column of its own.
  const rest = Object.fromEntries(Object.entries(row.rest()).filter(([, text]) => text !== key));
  if (Object.keys(rest).length === 0) return;
  // Those that were refused have a fault already.
  const isTold = (column: string): boolean => row.faults.some(({ field }) => field === column);
  const columns = Object.keys(rest).filter((column) => !isTold(column));
  const names = named.flatMap((column) => {
    const text = row.peek(column);
    return text === null ? [] : [[column, text] as const];
  });
  const cells = { ...Object.fromEntries(names), ...rest };
  staging.addRest(key, { file: row.file, table, cells, columns }, originOf(row));
}

/** Counts what is not in the archive. */
async function stageFile(
  key: string,
  medium: ArchiveMedium | 'elsewhere' | null,
  path: string,
  row: TableRow,
  { files, staging, job }: Context,
): Promise<void> {
  const { photographs } = job.summary;
  if (medium === null) photographs.refused += 1;
  else if (medium === 'elsewhere' || !(await hasFile(files, medium.path))) {
    photographs.elsewhere += 1;
    if (path !== '' && !isMalformedText(path)) staging.addAddress(key, path, originOf(row));
  } else staging.addMedium(key, medium, originOf(row));
}

/** The ID of the occurrence of a row of an extension: its own column of that, else the ID of the core's row. */
function keyOf(row: TableRow): string | null {
  const key = row.text('occurrenceID') ?? row.text(ID_COLUMN);
  if (key === null) row.refuse('occurrenceID', 'is missing');
  return key;
}

const originOf = ({ file, line }: TableRow): Origin => ({ file, line });
