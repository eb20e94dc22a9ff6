/**
 * The storage of files. Strapi's upload providers write and delete; they cannot read, so that each storage has its own
 * reader.
 */
import type { Core } from '@strapi/strapi';
import { createReadStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { Readable } from 'node:stream';

/** Both inclusive. */
export interface StoredRange {
  readonly start: number;
  readonly end: number;
}

/** Reads files that a provider has written. */
export interface Reader {
  /** @param size of the whole file @returns null for a file that does not exist */
  read(name: string, range: StoredRange, size: number): Promise<Buffer | Readable | null>;
  /** Makes written files durable. */
  settle(name: string): Promise<void>;
  /** Whether the storage answers; always true for a local folder. */
  answers(): Promise<boolean>;
}

export interface Storage extends Pick<Reader, 'read' | 'answers'> {
  /** Stores a file under a name. */
  put(name: string, file: string, type: string): Promise<void>;
  /** Removes the file with a name, if it exists. */
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
