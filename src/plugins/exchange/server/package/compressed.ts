/** Compressed files of packages: tables as `.gz` and `.zip`, and packages as `.tgz`. */
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline as pipe, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar';
import { open, type Entry, type Options, type ZipFile } from 'yauzl';
import { errorText } from '../../../../core/start-error';
import { PackageError } from './fault';
import { hasFile, type PackageFiles } from './package-files';

const openFile = promisify<string, Options, ZipFile>(open);

/** The first bytes of a gzip file, as Latin-1. */
export const GZIP = '\x1f\x8b';

/** A package whose files may be compressed, also where the descriptor names them as they are unpacked. */
export function withCompressed(files: PackageFiles): PackageFiles {
  const found = async (path: string): Promise<string> => {
    if (await hasFile(files, path)) return path;
    for (const extension of ['.gz', '.zip'])
      if (await hasFile(files, path + extension)) return path + extension;
    return path;
  };
  return {
    ...files,
    size: async (path) => files.size(await found(path)),
    async read(path) {
      const file = await found(path);
      const stream = await files.read(file);
      if (/\.gz$/i.test(file)) return unzipped(stream);
      return /\.zip$/i.test(file) ? onlyEntry(stream, file) : stream;
    },
  };
}

/** The bytes of a gzip file. An error of either stream is one of the result. */
const unzipped = (stream: Readable): Readable => pipe(stream, createGunzip(), () => undefined);

/** The one file in a zip, which is kept in a temporary file meanwhile. */
async function onlyEntry(stream: Readable, path: string): Promise<Readable> {
  const copy = join(tmpdir(), `oms-import-${process.pid}-${Date.now()}.zip`);
  await pipeline(stream, createWriteStream(copy, { flags: 'wx', mode: 0o600 }));
  try {
    const zip = await openFile(copy, { lazyEntries: true, autoClose: true });
    // The open file is read without its name.
    await unlink(copy);
    if (zip.entryCount !== 1)
      throw new PackageError(`${path} has ${zip.entryCount} files; a compressed table is one.`);
    return await new Promise<Readable>((resolve, reject) => {
      zip.on('error', reject);
      zip.on('entry', (entry: Entry) =>
        zip.openReadStream(entry, (error, content) =>
          content ? resolve(content) : reject(error ?? new Error('it is empty')),
        ),
      );
      zip.readEntry();
    });
  } catch (error) {
    rmSync(copy, { force: true });
    if (error instanceof PackageError) throw error;
    throw new PackageError(`${path} is a damaged zip (${errorText(error)}).`);
  }
}

/** A folder with the files of a `.tgz`, which is removed by `remove`. */
export async function unpackTar(
  path: string,
): Promise<{ readonly folder: string; readonly remove: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'oms-import-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    // Paths that lead out of the folder are left out, and so is all that is no file.
    const filter = (_: string, entry: object): boolean =>
      'type' in entry && (entry.type === 'File' || entry.type === 'Directory');
    await pipeline(createReadStream(path), extract({ cwd: folder, filter, strict: true }));
    return { folder, remove };
  } catch (error) {
    remove();
    throw new PackageError(`${path} is a damaged tar (${errorText(error)}).`);
  }
}
