/** Adds the photographs of a package to its encounters, after these have been committed. */
import type { Readable } from 'node:stream';
import { importer, type Caller } from '../../../../core/caller';
import { ApiError } from '../../../../core/errors';
import type { Body } from '../../../objects/server/declare/objects';
import type { Objects } from '../../../objects/server/types';
import type {
  EncounterPhotographs,
  Photograph,
  PackagePhotographs,
  StagedRecords,
} from '../package/dataset';
import type { PackageFiles } from '../package/package-files';
import type { ImportJob } from './summary';
import { refusals } from './reasons';

export type AddPhotograph = (stream: Readable, body: Body, caller: Caller) => Promise<string>;

interface Service {
  readonly objects: Objects;
  readonly addPhotograph: AddPhotograph;
}

/** The context of adding photographs. */
interface Writing extends Service {
  readonly files: PackageFiles;
  readonly owner: string | null;
  readonly photographs: PackagePhotographs;
  readonly caller: Caller;
  readonly job: ImportJob;
}

/** What is asked of an encounter. */
interface Stored {
  readonly assets: readonly string[];
  readonly level: string;
}

/** The number of photographs that are added concurrently: a few more than there are decoder processes. */
const AT_ONCE = 6;

interface Input {
  readonly source: string;
  readonly records: StagedRecords;
  readonly owner: string | null;
}

/**
 * Adds the photographs to the encounters that have none yet, so that a stopped import can be resumed. Encounters that are
 * not open get theirs first: an open one with the same photograph is told without it from the beginning.
 */
export async function writePhotographs(
  files: PackageFiles,
  { source, records, owner }: Input,
  service: Service,
  job: ImportJob,
): Promise<void> {
  const photographs = await records.photographs(job);
  if (!photographs) return;
  const writing: Writing = { ...service, files, owner, photographs, caller: importer(source), job };
  try {
    if (photographs.count === 0) return;
    job.progress.start('Adding photographs', photographs.count);
    for (const isOpen of [false, true])
      for (const encounter of photographs.byEncounter()) {
        if (job.stopped()) break;
        await attach(encounter, isOpen, writing);
      }
    job.progress.end();
  } finally {
    photographs.close();
  }
}

/** @param isOpen the encounter has to be, or not to be */
async function attach(of: EncounterPhotographs, isOpen: boolean, writing: Writing): Promise<void> {
  const { objects, caller } = writing;
  const found = of.photographs();
  if (found.length === 0) return;
  const key = { source: of.source, external_id: of.externalId };
  const encounter = await objects.findUnique('encounter', key);
  if (encounter === null) return;
  const { text } = await objects.read('encounter', encounter, caller, {
    fields: ['assets', 'level'],
  });
  const { assets: present, level } = JSON.parse(text) as Stored;
  if (present.length > 0 || (level === 'open') !== isOpen) return;
  const assets: string[] = [];
  for (let from = 0; from < found.length; from += AT_ONCE) {
    const some = found.slice(from, from + AT_ONCE);
    const added = await Promise.all(
      some.map(async ({ photograph, asset }) => asset ?? (await add(photograph, writing))),
    );
    assets.push(...added.filter((id) => id !== null));
  }
  if (assets.length === 0) return;
  await objects.write({ op: 'update', type: 'encounter', id: encounter, body: { assets } }, caller);
}

/** Adds one photograph. @returns its asset; null if it is refused, which is reported */
async function add(photograph: Photograph, writing: Writing): Promise<string | null> {
  const { files, photographs, owner, caller, job, addPhotograph } = writing;
  const body = { ...photograph.body, ...(owner === null ? {} : { owner }) };
  job.progress.advance(1);
  try {
    const asset = await addPhotograph(await files.read(photograph.path), body, caller);
    photographs.keep(photograph, asset);
    job.summary.photographs.created += 1;
    return asset;
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === null) throw error;
    job.summary.photographs.refused += 1;
    job.report({ ...photograph.place, reason, value: photograph.path });
    return null;
  }
}

/** The reason of the refusal of a file; null for other errors. */
function reasonOf(error: unknown): string | null {
  if (!(error instanceof ApiError) || error.status >= 500) return null;
  return refusals(error)[0]?.reason ?? 'is refused';
}
