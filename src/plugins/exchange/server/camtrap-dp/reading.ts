import { REQUIRED_OF_DEPLOYMENTS, readDeployment, type Deployment } from './deployments';
import { OWN_VERBATIM_COLUMNS, type Descriptor } from './descriptor';
import type { PackageFiles } from '../package/package-files';
import {
  REQUIRED_OF_OBSERVATIONS,
  readObservation,
  readObservationType,
  readRefused,
  type RefusedObservation,
} from './observations';
import { sizeOf } from '../package/records';
import type { TableRow } from '../package/row';
import type { Staging } from './staging';
import { readTable } from '../package/table';
import type { ImportJob } from '../import/summary';

/** The deployments of a package, and the invalid ones. */
export interface Deployments {
  readonly known: ReadonlyMap<string, Deployment>;
  /** The lines of the invalid ones. */
  readonly faulty: ReadonlyMap<string, number>;
}

/**
 * Reads the table of deployments. All are kept in memory: the largest packages have a few thousand.
 *
 * @throws PackageError when the table cannot be read
 */
export async function readDeployments(
  files: PackageFiles,
  { deployments }: Descriptor,
  job: ImportJob,
): Promise<Deployments> {
  const known = new Map<string, Deployment>();
  const faulty = new Map<string, number>();
  const listeners = { onFault: job.report };
  for await (const row of readTable(files, deployments, REQUIRED_OF_DEPLOYMENTS, listeners)) {
    if (job.stopped()) break;
    const deployment = readDeployment(row);
    if (deployment && known.has(deployment.id)) {
      row.refuse('deploymentID', 'is the ID of an earlier row');
    } else if (deployment) {
      known.set(deployment.id, deployment);
      for (const column of Object.keys(deployment.verbatim))
        if (column !== 'deploymentID') job.kept(row.file, column);
    } else faulty.set(row.text('deploymentID') ?? '', row.line);
    row.faults.forEach(job.report);
  }
  return { known, faulty };
}

/**
 * Reads the table of observations into the staging, and reports invalid rows. Nothing is written to the service yet, so
 * that a damaged package leaves nothing there.
 *
 * @throws PackageError when the table cannot be read
 */
export async function readObservations(
  files: PackageFiles,
  { observations }: Descriptor,
  deployments: Deployments,
  staging: Staging,
  job: ImportJob,
): Promise<void> {
  const { summary, progress } = job;
  progress.start('Reading observations', await sizeOf(files, observations));
  const rows = readTable(files, observations, REQUIRED_OF_OBSERVATIONS, {
    onFault: (fault) => {
      summary.rows += 1;
      summary.encounters.refused += 1;
      job.report(fault);
    },
    onBytes: (bytes) => progress.advance(bytes),
  });
  try {
    for await (const row of rows) {
      if (job.stopped()) break;
      const type = readObservationType(row);
      summary.rows += 1;
      const isStaged = type === 'animal' && stage(row, deployments, staging, job);
      if (type !== null && type !== 'animal')
        summary.leftOut[type] = (summary.leftOut[type] ?? 0) + 1;
      if (row.faults.length > 0 && !isStaged) {
        summary.encounters.refused += 1;
        staging.refuse(refusedOf(row, deployments));
      }
      row.faults.forEach(job.report);
    }
  } finally {
    progress.end();
  }
  staging.finish(({ origin, observation }) => {
    summary.encounters.refused += 1;
    const reason = 'is the ID of an earlier row';
    job.report({ ...origin, field: 'observationID', reason, value: observation.id });
  });
}

/** Reads what earlier imports have kept of observations, where the package is an export of a service like this. */
export async function readVerbatim(
  files: PackageFiles,
  { verbatim }: Descriptor,
  staging: Staging,
  job: ImportJob,
): Promise<void> {
  if (!verbatim) return;
  const rows = readTable(files, verbatim, OWN_VERBATIM_COLUMNS, { onFault: job.report });
  for await (const row of rows) {
    if (job.stopped()) break;
    const [observation, term, value] = OWN_VERBATIM_COLUMNS.map((name) => row.required(name));
    row.faults.forEach(job.report);
    if (observation && term && value) staging.addVerbatim(observation, term, value);
  }
}

/** @returns whether it is staged; if not, the faults of the row say why */
function stage(row: TableRow, deployments: Deployments, staging: Staging, job: ImportJob): boolean {
  const observation = readObservation(row);
  const deployment = observation?.deployment ?? row.text('deploymentID');
  if (deployment !== null && !deployments.known.has(deployment)) {
    const line = deployments.faulty.get(deployment);
    row.refuse(
      'deploymentID',
      line === undefined
        ? 'is not the ID of a deployment'
        : `is the ID of an invalid deployment (line ${line} of its table)`,
    );
    return false;
  }
  if (!observation) return false;
  for (const column of Object.keys(observation.verbatim ?? {}))
    if (!row.faults.some(({ field }) => field === column)) job.kept(row.file, column);
  staging.add({ observation, origin: { file: row.file, line: row.line } });
  return true;
}

function refusedOf(row: TableRow, { known, faulty }: Deployments): RefusedObservation {
  const { place, taxon } = readRefused(row);
  const { deployment } = place;
  const isKnown = deployment !== null && (known.has(deployment) || faulty.has(deployment));
  return { place: { ...place, deployment: isKnown ? deployment : null }, taxon };
}
