import { setImmediate } from 'node:timers/promises';
import type { Caller } from '../../../../core/caller';
import type { BulkOptions } from '../../../objects/server/declare/objects';
import type { Objects } from '../../../objects/server/types';
import type { Dataset, Draft, StagedRecords } from '../package/dataset';
import type { Fault } from '../package/fault';
import { writeEncounters, type ImportedEncounter } from './encounter-writer';
import type { ImportJob } from './summary';
import { Individuals, type NamedEncounter } from './individual-writer';
import type { TaxonPlan } from '../package/taxa';
import { AMBIGUOUS, nearestAncestor, writeTaxa } from './taxon-writer';

/**
 * Encounters that are written at once, which take memory and delay a stop. After the first ones the database gathers
 * statistics, without which it may plan wrongly.
 */
const BATCH = 5_000;

/** Batches that share a transaction: SQLite writes a page once that several of them change. */
const TOGETHER = 8;

/** Carries out what is written meanwhile whole, or not at all when `work` fails. */
export type Transaction = (work: () => Promise<void>) => Promise<void>;

/** How encounters are written. */
export interface BatchWriting {
  /** The number of batches at once. */
  readonly writers: number;
  /** Begins a transaction that several batches share; null where each has its own, or all are in one that has begun. */
  readonly shared: Transaction | null;
  /** Called when the first batch is written. */
  readonly afterFirst: () => Promise<void>;
}

interface Input extends BatchWriting {
  readonly dataset: Dataset;
  readonly records: StagedRecords;
  readonly owner: string | null;
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
  input: Input,
  objects: Objects,
  caller: Caller,
  job: ImportJob,
): Promise<void> {
  const { dataset, records, owner, writers, shared, afterFirst } = input;
  const { summary, progress, stopped } = job;
  const { encounters, merged } = records.count();
  summary.merged = merged;
  const taxonOf = await prepareTaxa(records, objects, caller, job);
  const onFault = onceOf(dataset.sharedFiles, job.report);
  const individuals = new Individuals({ objects, caller, owner, job });
  const batches = batchesOf(records.drafts());
  const next: Next = async (options) => {
    // Lets a signal that arrived during the last batch be handled.
    await setImmediate();
    const batch = stopped() ? undefined : batches.next().value;
    if (!batch) return null;
    const named = batch.flatMap((draft) => nameTaxon(draft, taxonOf, job) ?? []);
    await individuals.prepare(named);
    const resolved = named.map((one) => resolve(one, owner, individuals.of(one)));
    const writing = { objects, caller, tally: summary.encounters, onFault, options };
    const written = writeEncounters(resolved, writing);
    return { written: written.then(() => progress.advance(batch.length)) };
  };
  progress.start('Writing encounters', encounters);
  try {
    const first = await next({});
    await first?.written;
    if (first) await afterFirst();
    if (shared) await writeTogether(next, shared);
    else await writeSideBySide(next, writers);
  } finally {
    batches.return(undefined);
    progress.end();
  }
}

/** Begins to write the next batch; null at the end, and after a stop. */
type Next = (options: BulkOptions) => Promise<{ readonly written: Promise<void> } | null>;

/** One batch after the other, several in each transaction. */
async function writeTogether(next: Next, transaction: Transaction): Promise<void> {
  let isOver = false;
  const writeSome = async (): Promise<void> => {
    for (let n = 0; n < TOGETHER && !isOver; n += 1) {
      const batch = await next({ withoutSavepoint: true });
      await batch?.written;
      isOver = batch === null;
    }
  };
  while (!isOver) await transaction(writeSome);
}

/** A transaction for each batch, or all in one that has begun. */
async function writeSideBySide(next: Next, writers: number): Promise<void> {
  const underWay: Promise<void>[] = [];
  try {
    for (let batch = await next({}); batch; batch = await next({})) {
      // An error of one that is not awaited yet is thrown when it is.
      batch.written.catch(() => undefined);
      underWay.push(batch.written);
      if (underWay.length === writers) await underWay.shift();
    }
    await Promise.all(underWay);
  } finally {
    await Promise.allSettled(underWay);
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

function* batchesOf<T>(items: Iterable<T>): Generator<T[], undefined> {
  let batch: T[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length === BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
