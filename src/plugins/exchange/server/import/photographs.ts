/** Adds the photographs of a package to its encounters, after these have been committed. */
import type { Readable } from 'node:stream';
import { importer, type Caller } from '../../../../core/caller';
import { ApiError } from '../../../../core/errors';
import type { Body, Objects } from '../../../objects/server/types';
import type { Descriptor } from '../camtrap-dp/descriptor';
import { PackageError } from '../camtrap-dp/fault';
import { Media, MEDIA_COLUMNS, readMedium, type Medium } from '../camtrap-dp/media';
import type { Staged } from '../camtrap-dp/observations';
import type { PackageFiles } from '../camtrap-dp/package-files';
import type { Staging } from '../camtrap-dp/staging';
import { readTable } from '../camtrap-dp/table';
import type { Job } from './summary';
import { refusals } from './reasons';

export type AddPhotograph = (stream: Readable, body: Body, caller: Caller) => Promise<string>;

interface Input {
  readonly descriptor: Descriptor;
  readonly staging: Staging;
  readonly owner: string | null;
}

interface Service {
  readonly objects: Objects;
  readonly addPhotograph: AddPhotograph;
}

/** The context of adding photographs. */
interface Writing extends Service {
  readonly files: PackageFiles;
  readonly descriptor: Descriptor;
  readonly owner: string | null;
  readonly media: Media;
  readonly caller: Caller;
  readonly job: Job;
}

/** The number of photographs that are added concurrently: a few more than there are decoder processes. */
const AT_ONCE = 6;

/** Adds the photographs to the encounters that have none yet, so that a stopped import can be resumed. */
export async function writePhotographs(
  files: PackageFiles,
  { descriptor, staging, owner }: Input,
  service: Service,
  job: Job,
): Promise<void> {
  if (!descriptor.media) return;
  const media = new Media();
  const caller = importer(descriptor.source);
  const writing: Writing = { ...service, files, descriptor, owner, media, caller, job };
  try {
    await readMedia(files, descriptor, media, job);
    if (media.count === 0) return;
    job.progress.start('Adding photographs', media.count);
    for (const staged of staging.sightings()) {
      if (job.stopped()) break;
      await attach(staged, writing);
    }
    job.progress.end();
  } finally {
    media.close();
  }
}

async function readMedia(
  files: PackageFiles,
  { media: resource }: Descriptor,
  media: Media,
  { summary, report }: Job,
): Promise<void> {
  if (!resource) return;
  for await (const row of readTable(files, resource, MEDIA_COLUMNS, { onFault: report })) {
    const medium = readMedium(row);
    if (medium === 'elsewhere' || (medium && !(await isThere(files, medium))))
      summary.photographs.elsewhere += 1;
    else if (medium) media.add(medium);
    else summary.photographs.refused += 1;
    row.faults.forEach(report);
  }
}

async function isThere(files: PackageFiles, { path }: Medium): Promise<boolean> {
  try {
    await files.size(path);
    return true;
  } catch (error) {
    if (error instanceof PackageError) return false;
    throw error;
  }
}

async function attach({ observation }: Staged, writing: Writing): Promise<void> {
  const { objects, media, descriptor, caller } = writing;
  const found = media.of(observation);
  if (found.length === 0) return;
  const key = { source: descriptor.source, external_id: observation.id };
  const encounter = await objects.findUnique('encounter', key);
  if (encounter === null) return;
  const { object } = await objects.inspect('encounter', encounter, caller, ['assets']);
  if ((object['assets'] as readonly string[]).length > 0) return;
  const assets: string[] = [];
  for (let from = 0; from < found.length; from += AT_ONCE) {
    const some = found.slice(from, from + AT_ONCE);
    const added = await Promise.all(
      some.map(async ({ medium, asset }) => asset ?? (await add(medium, writing))),
    );
    assets.push(...added.filter((id) => id !== null));
  }
  if (assets.length === 0) return;
  await objects.write({ op: 'update', type: 'encounter', id: encounter, body: { assets } }, caller);
}

/** Adds one photograph. @returns its asset; null if it is refused, which is reported */
async function add(medium: Medium, writing: Writing): Promise<string | null> {
  const { files, media, descriptor, owner, caller, job, addPhotograph } = writing;
  const body = {
    filename: medium.name,
    ...(owner === null ? {} : { owner }),
    ...(descriptor.mediaLicense === null ? {} : { license: descriptor.mediaLicense }),
  };
  job.progress.advance(1);
  try {
    const asset = await addPhotograph(await files.read(medium.path), body, caller);
    media.keep(medium, asset);
    job.summary.photographs.created += 1;
    return asset;
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === null) throw error;
    job.summary.photographs.refused += 1;
    job.report({ ...medium.origin, field: 'filePath', reason, value: medium.path });
    return null;
  }
}

/** The reason of the refusal of a file; null for other errors. */
function reasonOf(error: unknown): string | null {
  if (!(error instanceof ApiError) || error.status >= 500) return null;
  return refusals(error)[0]?.reason ?? 'is refused';
}
