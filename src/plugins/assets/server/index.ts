/** The plugin `assets`: photographs, from the upload to the download. */
import type { Core } from '@strapi/strapi';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { QueueLoad } from '../../../core/load';
import type { Admission } from '../../../core/admission';
import { databaseOf, jobsOf, objectsOf, registryOf, siteOf } from '../../objects/server';
import { clockOf } from '../../objects/server/clock';
import { Assets } from './assets';
import { prepareEncounter } from './from-assets';
import { sweepFiles, sweepLoose } from './housekeeping';
import { Decoders } from './images/decoders';
import { admissionOfUploads, openIncoming } from './incoming';
import { allFilesAreDue } from './ledger';
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
  /**
   * Starts the removal of unused files and assets. Not called by scripts that open the database for another purpose.
   */
  start(): void;
  /** Ends that removal. */
  stop(): void;
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

/** Milliseconds between two removals. */
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
  const storage = createStorage(strapi, withCache(await readerOf(strapi, config)));
  const decoders = new Decoders();
  const folder = openIncoming(config.dataDir);
  const assets = new Assets({ objects, database, storage, decoders, folder, report, clock });
  const parts = { objects, database, model: registryOf(strapi).model(), assets, report };
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => (sweeping = sweeping.then(work));
  const safely = (work: () => Promise<void>): void => {
    inTurn(() => work().catch((error: unknown) => report(String(error)))).catch(() => undefined);
  };
  const jobs = jobsOf(strapi);
  const sweep = async (now = clock()): Promise<void> => {
    try {
      await sweepLoose(parts, now);
      await sweepFiles(parts, now);
      jobs.ended('files');
    } catch (error) {
      jobs.ended('files', error);
      throw error;
    }
  };
  objects.prepare('encounter', prepareEncounter(objects, clock));
  objects.onWritten((type) => {
    if (type === 'asset') safely(() => sweepFiles(parts, clock()));
  });
  return {
    assets,
    uploads: admissionOfUploads(() => siteOf(strapi).current().maxUploadBytes),
    storage,
    folder,
    decoding: () => decoders.load,
    sweep: (now) => inTurn(() => sweep(now)),
    start() {
      safely(async () => {
        if (!database.isShared) await database.write(() => allFilesAreDue());
        await sweep();
      });
      timer = setInterval(() => safely(() => sweep()), SWEEP).unref();
    },
    stop: () => clearInterval(timer),
    close() {
      clearInterval(timer);
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
