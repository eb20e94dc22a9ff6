/** The files of photographs that a database names, from the folder or the bucket in which they are. */
import { join } from 'node:path';
import { originalName, renditionName } from '../../plugins/assets/server/assets';
import { createLocalReader } from '../../plugins/assets/server/storage/local';
import type { Reader } from '../../plugins/assets/server/storage/storage';
import { RENDITION_NAMES } from '../../plugins/objects/server/kinds/renditions';
import { publicDirectory } from '../data-directory';
import type { Environment } from '../environment';
import type { BackupSource } from './source';

/** A file that the database names. */
export interface StoredFile {
  readonly name: string;
  readonly size: number;
}

/** The folder of photographs of an installation without a bucket. */
export const uploadsOf = (dataDir: string): string => join(publicDirectory(dataDir), 'uploads');

/** Reads files where the service has put them. */
export async function fileReaderOf({
  s3,
  dataDir,
}: Pick<Environment, 's3' | 'dataDir'>): Promise<Reader> {
  if (!s3) return createLocalReader(uploadsOf(dataDir));
  const { createS3Reader } = await import('../../plugins/assets/server/storage/s3-reader.js');
  return createS3Reader(s3);
}

/** Assets that one statement gives. */
const PAGE = 1000;

const SIZES = RENDITION_NAMES.map((name) => `${name}_size`);

/** All files that the rows of a database name, with the sizes that they have. */
export async function* filesOf(source: BackupSource): AsyncGenerator<StoredFile> {
  for (let last = 0; ;) {
    const assets = await source.rows(
      `select id, file_key, size, ${SIZES.join(', ')} from assets
        where id > ${last} and file_key is not null order by id limit ${PAGE}`,
    );
    for (const asset of assets) {
      const key = String(asset['file_key']);
      yield { name: originalName(key), size: Number(asset['size']) };
      for (const name of RENDITION_NAMES) {
        const size = asset[`${name}_size`];
        if (size !== null) yield { name: renditionName(key, name), size: Number(size) };
      }
    }
    if (assets.length < PAGE) return;
    last = Number(assets.at(-1)?.['id']);
  }
}

/** The content of a file, null where the storage does not have it. */
export async function contentOf(
  reader: Reader,
  { name, size }: StoredFile,
): Promise<Iterable<Buffer> | AsyncIterable<Buffer> | null> {
  const found = await reader.read(name, { start: 0, end: size - 1 }, size);
  return Buffer.isBuffer(found) ? [found] : (found as AsyncIterable<Buffer> | null);
}
