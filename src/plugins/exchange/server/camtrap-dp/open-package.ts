import { open, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { errorCode } from '../../../../core/start-error';
import { PackageError } from './fault';
import { DESCRIPTOR, openFolder, type PackageFiles } from './package-files';
import { openZip } from './zip';

/**
 * Opens a package: a folder with `datapackage.json`, that file itself, or a zip of such a folder.
 *
 * @throws PackageError when the path is none of these
 */
export async function openPackage(path: string): Promise<PackageFiles> {
  const kind = await kindOf(path);
  switch (kind) {
    case 'folder':
      return openFolder(path);
    case 'descriptor':
      return openFolder(dirname(path));
    case 'zip':
      return openZip(path);
    case 'other':
      throw new PackageError(
        `${path} is no Camtrap DP: expected a folder with ${DESCRIPTOR}, or a zip of it.`,
      );
  }
}

async function kindOf(path: string): Promise<'folder' | 'descriptor' | 'zip' | 'other'> {
  try {
    if ((await stat(path)).isDirectory()) return 'folder';
    if (basename(path) === DESCRIPTOR) return 'descriptor';
    return (await firstBytes(path, 2)) === 'PK' ? 'zip' : 'other';
  } catch (error) {
    throw new PackageError(`${path} cannot be read (${errorCode(error)}).`);
  }
}

async function firstBytes(path: string, length: number): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}
