import { importer } from '../../../../core/caller';
import type { Objects } from '../../../objects/server/types';
import { openCamtrapDp } from '../camtrap-dp/dataset';
import { openDarwinCore } from '../darwin-core/dataset';
import type { Dataset, SiteFields } from '../package/dataset';
import { openPackage } from '../package/open-package';
import type { PackageFiles, PackageKind } from '../package/package-files';
import { writePhotographs, type AddPhotograph } from './photographs';
import { FaultKinds } from './fault-kinds';
import { SILENT, type Progress } from './progress';
import { Report } from './report';
import { newSummary, type ImportSummary, type ImportJob } from './summary';
import { write, type BatchWriting, type Transaction } from './writing';

export interface ImportOptions {
  /** The file of the report; see `defaultReportFile`. */
  readonly report: string;
  /** Creates the report even without faults. */
  readonly alwaysReport?: boolean;
  /** Writes nothing if there is any fault. */
  readonly strict?: boolean;
  /** The ID of the account that will own the imported objects; null by default. */
  readonly owner?: string | null;
  /** Keeps nothing. */
  readonly dryRun?: boolean;
  /** Ends the import after the present batch. */
  readonly signal?: AbortSignal;
  readonly progress?: Progress;
}

/** The parts of the service that an import uses. */
export interface ImportingService {
  readonly objects: Objects;
  /** The fields of encounters at this site. */
  readonly fields: () => SiteFields;
  /** Keeps a photograph of a stream. @returns the ID of its asset @throws ApiError */
  readonly addPhotograph: AddPhotograph;
  readonly transaction: Transaction;
  /** The number of transactions that can write at once. */
  readonly writers: number;
  /** Runs work that adds so many encounters. */
  readonly whileAdding: (encounters: number, work: () => Promise<void>) => Promise<void>;
  /** Has the database gather statistics of what was committed, by which it plans statements. */
  readonly maintain: () => Promise<void>;
}

/** Rolls back a transaction. */
class Discarded extends Error {}

/** The contents of a package, by the standard of its descriptor. @throws PackageError when it cannot be imported */
const OPEN: Record<PackageKind, (files: PackageFiles) => Promise<Dataset>> = {
  'datapackage.json': openCamtrapDp,
  'meta.xml': openDarwinCore,
  table: openDarwinCore,
};

/**
 * Checks only the metadata of a package, which is fast.
 *
 * @throws PackageError when it cannot be imported
 */
export async function checkPackage(path: string): Promise<void> {
  const files = await openPackage(path);
  try {
    await OPEN[files.descriptor](files);
  } finally {
    await files.close();
  }
}

/**
 * Imports a Camtrap DP 1 package or a Darwin Core archive (docs/import.md). Records that exist already, by source and
 * external ID, are not changed, so that a stopped import can be started again.
 *
 * @param path a folder, its `datapackage.json` or `meta.xml`, a zip or a tar of it, or a table
 * @returns the summary; faults are in the report, and valid records are imported, unless `strict`
 * @throws PackageError when the package cannot be read; nothing is written then
 */
export async function runImport(
  path: string,
  options: ImportOptions,
  service: ImportingService,
): Promise<ImportSummary> {
  const files = await openPackage(path);
  const report = new Report(options.report, options.alwaysReport ?? false);
  try {
    const dataset = await OPEN[files.descriptor](files);
    const summary = newSummary(dataset.source, dataset.leftOut);
    const kinds = new FaultKinds(summary.kinds);
    const job: ImportJob = {
      summary,
      kept: (file, column) => count(summary.verbatim, file, column, 1),
      unread: (file, column, cells) => count(summary.unread, file, column, cells),
      progress: options.progress ?? SILENT,
      report: (fault) => {
        summary.faults += 1;
        kinds.add(fault);
        report.add(fault);
      },
      stopped: () => options.signal?.aborted ?? false,
    };
    dataset.faults.forEach(job.report);
    await carryOut(files, dataset, options, service, job);
    summary.report = report.file;
    report.finish(summary);
    return summary;
  } finally {
    report.close();
    await files.close();
  }
}

/** Adds to the number of cells of a column; null where they are not counted. */
function count<N extends number | null>(
  counts: Record<string, Record<string, N>>,
  file: string,
  column: string,
  cells: N,
): void {
  const columns = (counts[file] ??= {});
  const before = columns[column];
  columns[column] = (
    typeof before === 'number' && typeof cells === 'number' ? before + cells : cells
  ) as N;
}

async function carryOut(
  files: PackageFiles,
  dataset: Dataset,
  { dryRun = false, strict = false, owner = null }: ImportOptions,
  service: ImportingService,
  job: ImportJob,
): Promise<void> {
  const { summary, stopped } = job;
  const { objects, transaction, writers, maintain } = service;
  const records = await dataset.stage(job, service.fields());
  try {
    const input = { dataset, records, owner };
    const writeAll = (how: BatchWriting): Promise<void> =>
      write({ ...input, ...how }, objects, importer(dataset.source), job);
    const keeps = (): boolean => !dryRun && !(strict && (summary.faults > 0 || stopped()));
    const writeAtOnce = (): Promise<void> =>
      writeAll({ writers: 1, shared: null, afterFirst: () => Promise.resolve() });

    if (stopped()) summary.kept = false;
    else if (dryRun || strict) summary.kept = await tryOut(transaction, writeAtOnce, keeps);
    else
      await service.whileAdding(records.count().encounters, () =>
        writeAll({ writers, shared: writers === 1 ? transaction : null, afterFirst: maintain }),
      );
    if (summary.kept && !dryRun)
      await writePhotographs(files, { source: dataset.source, records, owner }, service, job);
    summary.stopped = stopped();
  } finally {
    records.close();
  }
}

/** Writes in one transaction. @returns whether it was committed */
async function tryOut(
  transaction: Transaction,
  work: () => Promise<void>,
  keeps: () => boolean,
): Promise<boolean> {
  try {
    await transaction(async () => {
      await work();
      if (!keeps()) throw new Discarded();
    });
    return true;
  } catch (error) {
    if (error instanceof Discarded) return false;
    throw error;
  }
}
