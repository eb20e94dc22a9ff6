import { setImmediate } from 'node:timers/promises';
import type { Caller } from '../../../../core/caller';
import type { Objects } from '../../../objects/server/types';
import type { Descriptor } from '../camtrap-dp/descriptor';
import { encounterOf, type Draft } from '../camtrap-dp/encounter';
import type { Fault } from '../camtrap-dp/fault';
import { taxonKey, type Staged } from '../camtrap-dp/observations';
import type { Staging } from '../camtrap-dp/staging';
import { planTaxa } from '../camtrap-dp/taxa';
import { writeEncounters } from './encounter-writer';
import type { Job } from './summary';
import { Individuals } from './individual-writer';
import type { Deployments } from './reading';
import { writeTaxa } from './taxon-writer';

/** Encounters per transaction: a larger number is faster, but delays a stop. */
const BATCH = 5_000;

interface Input {
  readonly descriptor: Descriptor;
  readonly deployments: Deployments;
  readonly staging: Staging;
  readonly owner: string | null;
}

/** The taxon's ID; null for an unnamed animal; undefined for a refused taxon. */
type TaxonOf = (scientificName: string | null) => string | null | undefined;

/** Writes the staged records: taxa first, then encounters in batches, until the end or a stop. */
export async function write(
  input: Input,
  objects: Objects,
  caller: Caller,
  job: Job,
): Promise<void> {
  const { summary, progress } = job;
  const { sightings, merged } = input.staging.count();
  summary.merged = merged;
  const taxonOf = await prepareTaxa(input, objects, caller, job);
  const onFault = onceOf(input.descriptor.deployments.paths, job.report);
  const writing = { objects, caller, tally: summary.encounters, onFault };
  const { source } = input.descriptor;
  const individuals = new Individuals({ objects, caller, source, owner: input.owner, job });
  progress.start('Writing encounters', sightings);
  try {
    for (const batch of batches(input.staging.sightings(), BATCH)) {
      // Lets a signal that arrived during the last batch be handled.
      await setImmediate();
      if (job.stopped()) break;
      const drafts: Draft[] = [];
      for (const staged of batch) {
        const draft = await draftOf(staged, input, taxonOf, individuals, job);
        if (draft) drafts.push(draft);
      }
      await writeEncounters(drafts, writing);
      progress.advance(batch.length);
    }
  } finally {
    progress.end();
  }
}

async function prepareTaxa(
  { descriptor, staging }: Input,
  objects: Objects,
  caller: Caller,
  { summary, report }: Job,
): Promise<TaxonOf> {
  const plan = planTaxa(staging.scientificNames, descriptor.taxonomic);
  const tally = summary.taxa;
  const ids = await writeTaxa(plan.taxa, { objects, caller, tally, onFault: report });
  return (name) => {
    const taxon = name === null ? undefined : plan.byName.get(taxonKey(name));
    return taxon === undefined ? null : ids.get(taxon);
  };
}

async function draftOf(
  staged: Staged,
  input: Input,
  taxonOf: TaxonOf,
  individuals: Individuals,
  job: Job,
): Promise<Draft | null> {
  const { observation, origin } = staged;
  const { scientificName } = observation;
  const taxonomy = taxonOf(scientificName);
  const deployment = input.deployments.known.get(observation.deployment);
  if (taxonomy === undefined || deployment === undefined) {
    job.summary.encounters.refused += 1;
    const reason = 'is a taxon that the service refuses';
    job.report({ ...origin, field: 'scientificName', reason, value: scientificName ?? '' });
    return null;
  }
  const individual = await individuals.of(staged, taxonomy);
  const { descriptor, owner } = input;
  const body = encounterOf(observation, deployment, { taxonomy, individual, owner }, descriptor);
  return { body, origin, deployment };
}

/** Reports a fault in one of these files only once, because all encounters of a deployment have it. */
function onceOf(files: readonly string[], report: Job['report']): Job['report'] {
  const told = new Set<string>();
  return (fault: Fault) => {
    const { file, line, field, reason } = fault;
    const key = JSON.stringify([file, line, field, reason]);
    if (told.has(key)) return;
    if (files.includes(file)) told.add(key);
    report(fault);
  };
}

function* batches<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
