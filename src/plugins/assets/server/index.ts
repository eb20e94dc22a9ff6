/** The plugin `assets`: photographs, from the upload to the download. */
import type { Core } from '@strapi/strapi';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { QueueLoad } from '../../../core/load';
import type { Admission } from '../../../core/admission';
import { traceCalls, tracerOf } from '../../../core/tracer';
import { databaseOf, jobsOf, objectsOf, registryOf, siteOf } from '../../objects/server';
import { clockOf } from '../../objects/server/clock';
import { every, unwatched } from '../../objects/server/jobs/job';
import { Assets } from './assets';
import { prepareEncounter } from './from-assets';
import { sweepFiles, sweepLoose } from './housekeeping';
import { Decoders } from './images/decoders';
import { admissionOfUploads, openIncoming } from './incoming';
import { allFilesAreDue, dueFiles } from './ledger';
import { withCache } from './storage/cache';
import { createLocalReader } from './storage/local';
import type { S3Environment } from './storage/s3';
import { createStorage, type Reader, type Storage } from './storage/storage';

type Context = { strapi: Core.Strapi };

interface Config {
  readonly dataDir: string;
  /** Null for local files. */
  readonly s3: S3Environment | null;
}

export interface AssetService {
  readonly assets: Assets;
  /** The uploads in progress. */
  readonly uploads: Admission;
  readonly storage: Storage;
  /** The folder for files of uploads in progress. */
  readonly folder: string;
  /** The photographs that are decoded, and that wait for it. */
  readonly decoding: () => QueueLoad;
  /** Removes what is due at this time; the time is an argument so that a test need not wait. */
  sweep(now?: number): Promise<void>;
  /** Has the files of uploads be removed that an earlier process has not ended. In a service, before its jobs start. */
  start(): Promise<void>;
  close(): void;
}

interface Holder {
  open(): Promise<void>;
  get(): AssetService;
  close(): void;
}

/** The assets of a running Strapi. */
export const assetsOf = (strapi: Core.Strapi): AssetService => holderOf(strapi).get();

const holderOf = (strapi: Core.Strapi): Holder => strapi.plugin('assets').service('assets');

/** The job that removes files. */
const FILES = 'files';

/** Milliseconds between two searches for what is not used. */
const SWEEP = 60 * 60_000;

async function readerOf(strapi: Core.Strapi, { s3 }: Config): Promise<Reader> {
  if (!s3) return createLocalReader(join(strapi.dirs.static.public, 'uploads'));
  const { createS3Reader } = await import('./storage/s3-reader.js');
  return createS3Reader(s3);
}

async function openAssets(strapi: Core.Strapi): Promise<AssetService> {
  const config = strapi.config.get<Config>('plugin::assets');
  const [objects, database] = [objectsOf(strapi), databaseOf(strapi)];
  const clock = clockOf(strapi);
  const report = (message: string): void => void strapi.log.error(`assets: ${message}`);
  const tracer = tracerOf(strapi);
  const storage = traceCalls(
    createStorage(strapi, withCache(await readerOf(strapi, config))),
    ['put', 'remove', 'read', 'size'],
    (name) => ({ name: `storage ${name}`, kind: 'client' }),
    tracer,
  );
  const decoders = traceCalls(
    new Decoders(),
    ['run'],
    () => ({ name: 'decode image', kind: 'client' }),
    tracer,
  );
  const folder = openIncoming(config.dataDir);
  const assets = new Assets({ objects, database, storage, decoders, folder, report, clock });
  const parts = { objects, database, model: registryOf(strapi).model(), assets, report };
  const jobs = jobsOf(strapi);
  /** Two at once would meet at the same files. */
  let last: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> =>
    (last = last.catch(() => undefined).then(work));
  jobs.add(
    {
      name: FILES,
      isLeased: true,
      next: every(SWEEP),
      isDue: async () => (await database.read(dueFiles(clock()))).length > 0,
      run: (run) => inTurn(() => sweepFiles(parts, clock(), run)),
    },
    {
      name: 'unused-assets',
      isLeased: true,
      next: every(SWEEP),
      run: (run) => inTurn(() => sweepLoose(parts, clock(), run)),
    },
  );
  objects.prepare('encounter', prepareEncounter(objects, clock));
  objects.onWritten((type) => {
    if (type === 'asset') jobs.soon(FILES);
  });
  return {
    assets,
    uploads: admissionOfUploads(() => siteOf(strapi).current().maxUploadBytes),
    storage,
    folder,
    decoding: () => decoders.load,
    sweep: (now = clock()) =>
      inTurn(async () => {
        await sweepLoose(parts, now, unwatched());
        await sweepFiles(parts, now, unwatched());
      }),
    async start() {
      if (!database.isShared) await database.write(() => allFilesAreDue());
    },
    close() {
      decoders.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function createHolder(strapi: Core.Strapi): Holder {
  let opened: AssetService | null = null;
  return {
    async open() {
      opened = await openAssets(strapi);
    },
    get() {
      if (!opened) throw new Error('assets are known after the bootstrap of the plugin "assets"');
      return opened;
    },
    close() {
      opened?.close();
      opened = null;
    },
  };
}

export default {
  async bootstrap({ strapi }: Context) {
    await holderOf(strapi).open();
  },
  destroy({ strapi }: Context) {
    holderOf(strapi).close();
  },
  services: { assets: ({ strapi }: Context): Holder => createHolder(strapi) },
};
