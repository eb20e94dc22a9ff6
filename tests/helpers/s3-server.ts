import { mkdtemp, rm } from 'node:fs/promises';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './service';

interface Server {
  run(): Promise<unknown>;
  close(): Promise<void>;
}

type ServerClass = new (options: Readonly<Record<string, unknown>>) => Server;

const MODULE: string = 's3rver';
const BUCKET = 'photographs';

/** A server that speaks S3, and the variables by which the service uses it. */
export interface S3Server {
  /** The folder of its one bucket. */
  readonly bucket: string;
  readonly env: Readonly<Record<string, string>>;
  /** The names of the objects that it holds. */
  names(): string[];
  /** Where the bytes of an object are. */
  fileOf(name: string): string;
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}

export async function startS3(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'oms-s3-'));
  const port = await freePort();
  // It has no types.
  const { default: S3rver } = (await import(MODULE)) as { default: ServerClass };
  const server = new S3rver({
    port,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  await server.run();
  const folder = join(directory, BUCKET, 'of', 'assets');
  const objects = (): string[] => {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  };
  const suffix = '._S3rver_object';
  return {
    bucket: join(directory, BUCKET),
    env: {
      S3_BUCKET: BUCKET,
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_PREFIX: 'of/assets',
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
    },
    names: () =>
      objects().flatMap((name) => (name.endsWith(suffix) ? name.slice(0, -suffix.length) : [])),
    fileOf: (name) => join(folder, name + suffix),
    async remove(name) {
      for (const file of objects().filter((one) => one.startsWith(`${name}._S3rver`)))
        await rm(join(folder, file));
    },
    async close() {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
