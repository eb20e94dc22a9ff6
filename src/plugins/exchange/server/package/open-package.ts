import { open, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../../../../core/start-error';
import { PackageError } from './fault';
import { DESCRIPTORS, openFolder, type DescriptorName, type PackageFiles } from './package-files';
import { openZip } from './zip';

/**
 * Opens a package: a folder with `datapackage.json` or `meta.xml`, one of these files, or a zip of such a folder.
 *
 * @throws PackageError when the path is none of these
 */
export async function openPackage(path: string): Promise<PackageFiles> {
  try {
    if ((await stat(path)).isDirectory()) return openFolder(path, await descriptorIn(path));
    const descriptor = DESCRIPTORS.find((name) => name === basename(path));
    if (descriptor) return openFolder(dirname(path), descriptor);
    if ((await firstBytes(path, 2)) === 'PK') return await openZip(path);
  } catch (error) {
    if (error instanceof PackageError) throw error;
    throw new PackageError(`${path} cannot be read (${errorCode(error)}).`);
  }
  throw new PackageError(
    `${path} is no package: expected a folder with ${DESCRIPTORS.join(' or ')}, or a zip of it.`,
  );
}

async function descriptorIn(folder: string): Promise<DescriptorName> {
  for (const name of DESCRIPTORS) {
    try {
      if ((await stat(join(folder, name))).isFile()) return name;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
  throw new PackageError(`${folder} has neither ${DESCRIPTORS.join(' nor ')}.`);
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
