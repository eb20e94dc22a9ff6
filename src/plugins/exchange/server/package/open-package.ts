import { open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../../../../core/start-error';
import { GZIP, unpackTar, withCompressed } from './compressed';
import { PackageError } from './fault';
import { DESCRIPTORS, openFolder, type DescriptorName, type PackageFiles } from './package-files';
import { openZip } from './zip';

/** The names of tables that stand alone. */
const TABLE = /\.(?:csv|tsv|txt|tab)(?:\.gz)?$/i;

const TAR = /\.(?:tgz|tar\.gz|tar)$/i;

const EXPECTED = `a folder with ${DESCRIPTORS.join(' or ')}, a zip or a .tgz of it, or a table with the terms of Darwin Core as headings`;

/**
 * Opens a package: a folder with `datapackage.json` or `meta.xml`, one of these files, a zip or a tar of such a folder,
 * or a table alone.
 *
 * @throws PackageError when the path is none of these
 */
export async function openPackage(path: string): Promise<PackageFiles> {
  return withCompressed(await openAt(path));
}

async function openAt(path: string): Promise<PackageFiles> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return openFolder(path, await descriptorIn(path));
    const descriptor = DESCRIPTORS.find((name) => name === basename(path));
    if (descriptor) return openFolder(dirname(path), descriptor);
    if (found.size === 0) throw new PackageError(`${path} is empty.`);
    const start = await firstBytes(path, 2);
    if (start === 'PK') return await openZip(path);
    if (TAR.test(path)) return await openTar(path);
    if (TABLE.test(path) && (start !== GZIP || /\.gz$/i.test(path)))
      return openFolder(dirname(path), 'table', basename(path));
  } catch (error) {
    if (error instanceof PackageError) throw error;
    throw new PackageError(`${path} cannot be read (${errorCode(error)}).`);
  }
  throw new PackageError(`${path} is no package: expected ${EXPECTED}.`);
}

/** A tar has its descriptor at its top or in its only folder. */
async function openTar(path: string): Promise<PackageFiles> {
  const { folder, remove } = await unpackTar(path);
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const [only] = entries.filter((entry) => entry.isDirectory());
    const isTop = entries.some(({ name }) => DESCRIPTORS.some((one) => one === name));
    const root = isTop || !only ? folder : join(folder, only.name);
    const files = openFolder(root, await descriptorIn(root));
    const name = basename(path).replace(TAR, '');
    const close = async (): Promise<void> => {
      await files.close();
      remove();
    };
    return { ...files, name, close };
  } catch (error) {
    remove();
    throw error;
  }
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
