/**
 * Where the bytes of assets are. They go there by Strapi's upload provider, which can write and delete; a provider
 * cannot read, which each place has code of its own for.
 */
import type { Core } from '@strapi/strapi';
import { createReadStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { Readable } from 'node:stream';

/** Both inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Reads what a provider has written. */
export interface Reader {
  /** @param size of the whole file @returns null for what is not there */
  read(name: string, range: ByteRange, size: number): Promise<Buffer | Readable | null>;
  /** Makes sure that what was written survives a failure of the machine. */
  settle(name: string): Promise<void>;
  /** Whether it can be asked; true for a folder of this machine. */
  answers(): Promise<boolean>;
}

export interface Storage extends Pick<Reader, 'read' | 'answers'> {
  /** Keeps a file under a name. */
  put(name: string, file: string, type: string): Promise<void>;
  /** Removes what has a name, where it is there. */
  remove(name: string): Promise<void>;
}

/** The properties of a file that Strapi's providers need. */
interface ProviderFile {
  readonly name: string;
  readonly hash: string;
  readonly ext: string;
  readonly mime: string;
  readonly size: number;
  readonly stream?: Readable;
}

interface Provider {
  uploadStream(file: ProviderFile): Promise<unknown>;
  delete(file: ProviderFile): Promise<unknown>;
}

const fileOf = (name: string, mime: string): ProviderFile => ({
  name,
  hash: name,
  ext: '',
  mime,
  size: 0,
});

export function createStorage(strapi: Core.Strapi, reader: Reader): Storage {
  const provider = (): Provider =>
    (strapi.plugin('upload') as unknown as { provider: Provider }).provider;
  return {
    async put(name, file, type) {
      const stream = createReadStream(file);
      try {
        await provider().uploadStream({ ...fileOf(name, type), stream });
      } finally {
        stream.destroy();
        await finished(stream, { error: false }).catch(() => undefined);
      }
      await reader.settle(name);
    },
    async remove(name) {
      await provider().delete(fileOf(name, ''));
    },
    read: (name, range, size) => reader.read(name, range, size),
    answers: () => reader.answers(),
  };
}
