import { setImmediate } from 'node:timers/promises';
import type { Caller } from '../../../../core/caller';
import type { Objects } from '../../../objects/server/types';
import type { Dataset, Draft, StagedRecords } from '../package/dataset';
import type { Fault } from '../package/fault';
import { writeEncounters, type ImportedEncounter } from './encounter-writer';
import type { ImportJob } from './summary';
import { Individuals, type NamedEncounter } from './individual-writer';
import type { TaxonPlan } from '../package/taxa';
import { AMBIGUOUS, nearestAncestor, writeTaxa } from './taxon-writer';

/**
 * Encounters in the first transaction, after which the database gathers statistics, without which it may plan wrongly,
 * and in each of several that write at once.
 */
const BATCH = 5_000;

/** The same of a single writer: SQLite writes fewer pages of a larger transaction, but it delays a stop. */
const BATCH_ALONE = 20_000;

interface Input {
  readonly dataset: Dataset;
  readonly records: StagedRecords;
  readonly owner: string | null;
  /** The number of transactions that write encounters at once. */
  readonly writers: number;
  /** Called when the first batch is written. */
  readonly afterFirst: () => Promise<void>;
}

/** The IDs of taxa. */
interface TaxonOf {
  /** By its key; null for an unnamed animal; undefined for a refused taxon. */
  readonly key: (key: string | null) => string | typeof AMBIGUOUS | null | undefined;
  /** As the package writes it. */
  readonly name: (key: string | null) => string;
  /** Of a taxon of the plan, else of the nearest one above it that there is. */
  readonly plan: (taxon: TaxonPlan | null) => string | null;
}

/** Writes the staged records: taxa first, then encounters in batches, until the end or a stop. */
export async function write(
  { dataset, records, owner, writers, afterFirst }: Input,
  objects: Objects,
  caller: Caller,
  job: ImportJob,
): Promise<void> {
  const { summary, progress } = job;
  const { encounters, merged } = records.count();
  summary.merged = merged;
  const taxonOf = await prepareTaxa(records, objects, caller, job);
  const onFault = onceOf(dataset.sharedFiles, job.report);
  const writing = { objects, caller, tally: summary.encounters, onFault };
  const individuals = new Individuals({ objects, caller, owner, job });
  progress.start('Writing encounters', encounters);
  const underWay: Promise<unknown>[] = [];
  let isFirst = true;
  try {
    for (const batch of batches(records.drafts(), BATCH, writers > 1 ? BATCH : BATCH_ALONE)) {
      // Lets a signal that arrived during the last batch be handled.
      await setImmediate();
      if (job.stopped()) break;
      const named = batch.flatMap((draft) => nameTaxon(draft, taxonOf, job) ?? []);
      await individuals.prepare(named);
      const resolved = named.map((one) => resolve(one, owner, individuals.of(one)));
      const written = writeEncounters(resolved, writing).then(() => progress.advance(batch.length));
      // An error of one that is not awaited yet is thrown when it is.
      written.catch(() => undefined);
      underWay.push(written);
      if (isFirst || underWay.length === writers) await underWay.shift();
      if (isFirst) await afterFirst();
      isFirst = false;
    }
    await Promise.all(underWay);
  } finally {
    await Promise.allSettled(underWay);
    progress.end();
  }
}

async function prepareTaxa(
  records: StagedRecords,
  objects: Objects,
  caller: Caller,
  { summary, report }: ImportJob,
): Promise<TaxonOf> {
  const plan = records.taxa();
  const tally = summary.taxa;
  const ids = await writeTaxa(plan.taxa, { objects, caller, tally, onFault: report });
  const planned = (key: string | null): TaxonPlan | null =>
    key === null ? null : (plan.byKey.get(key) ?? null);
  return {
    key: (key) => {
      const taxon = planned(key);
      return taxon === null ? null : ids.get(taxon);
    },
    name: (key) => planned(key)?.scientificName ?? '',
    plan: (taxon) => {
      const id = taxon && ids.get(taxon);
      return typeof id === 'string' ? id : taxon && nearestAncestor(taxon, ids);
    },
  };
}

/** Adds the taxon. @returns null if the service refuses it, which is reported */
function nameTaxon(draft: Draft, taxonOf: TaxonOf, job: ImportJob): NamedEncounter | null {
  const taxonomy = taxonOf.key(draft.taxon);
  const animalTaxonomy = taxonOf.plan(draft.organism?.taxon ?? null);
  const [value = ''] = JSON.parse(draft.taxon ?? '[]') as string[];
  if (taxonomy === AMBIGUOUS) {
    const reason = 'is a name in two kingdoms here, and the package does not say of which';
    job.report({ ...draft.placeOf('taxonomy'), reason, value });
    const { verbatim } = draft.body;
    const kept = { scientificName: taxonOf.name(draft.taxon), ...(verbatim as object | undefined) };
    return {
      draft: { ...draft, body: { ...draft.body, verbatim: kept } },
      taxonomy: null,
      animalTaxonomy,
    };
  }
  if (taxonomy !== undefined) return { draft, taxonomy, animalTaxonomy };
  job.summary.encounters.refused += 1;
  const reason = 'is a taxon that the service refuses';
  job.report({ ...draft.placeOf('taxonomy'), reason, value });
  return null;
}

/** Adds the references. */
function resolve(
  { draft, taxonomy }: NamedEncounter,
  owner: string | null,
  individual: string | null,
): ImportedEncounter {
  return { body: { ...draft.body, taxonomy, individual, owner }, placeOf: draft.placeOf };
}

/** Reports a fault in one of these files only once, because all encounters of a deployment have it. */
function onceOf(files: readonly string[], report: ImportJob['report']): ImportJob['report'] {
  const told = new Set<string>();
  return (fault: Fault) => {
    const { file, line, field, reason } = fault;
    const key = JSON.stringify([file, line, field, reason]);
    if (told.has(key)) return;
    if (files.includes(file)) told.add(key);
    report(fault);
  };
}

function* batches<T>(items: Iterable<T>, first: number, size: number): Generator<T[]> {
  let batch: T[] = [];
  let most = first;
  for (const item of items) {
    batch.push(item);
    if (batch.length === most) {
      yield batch;
      batch = [];
      most = size;
    }
  }
  if (batch.length > 0) yield batch;
}
