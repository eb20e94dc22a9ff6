import { basename, extname } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { Entry, ZipFile } from 'yauzl';
import { errorText } from '../../../../core/start-error';
import { openZipFile, readEntries } from '../../../../core/zip-entries';
import { DESCRIPTORS, type PackageFiles, type PackageKind } from './package-files';
import { PackageError } from './fault';

/** A folder that macOS adds to zips. */
const MAC_FOLDER = '__MACOSX/';

/** The number of files whose names are kept in memory. */
const MAX_ENTRIES = 1_000_000;

/** A package in a zip, at its root or in its only top-level folder. Files are unpacked while they are read. */
export async function openZip(path: string): Promise<PackageFiles> {
  try {
    const zip = await openZipFile(path);
    try {
      if (zip.entryCount > MAX_ENTRIES)
        throw new PackageError(`The zip has more than ${MAX_ENTRIES} files.`);
      return filesOf(zip, await readEntries(zip), path);
    } catch (error) {
      zip.close();
      throw error;
    }
  } catch (error) {
    if (error instanceof PackageError) throw error;
    throw new PackageError(`${path} is a damaged zip (${errorText(error)}).`);
  }
}

function filesOf(zip: ZipFile, entries: Map<string, Entry>, zipPath: string): PackageFiles {
  const { root, descriptor, table } = rootOf([...entries.keys()], zipPath);
  const openStream = promisify<Entry, Readable>((entry, done) => zip.openReadStream(entry, done));
  const entryOf = (path: string): Entry => {
    const entry = entries.get(root + path);
    if (!entry) throw new PackageError(`${path} is not in ${zipPath}.`);
    if (entry.isEncrypted()) throw new PackageError(`${path} of ${zipPath} is encrypted.`);
    return entry;
  };
  return {
    descriptor,
    table,
    name: basename(zipPath, extname(zipPath)),
    size: (path) => Promise.resolve(path).then((name) => entryOf(name).uncompressedSize),
    read: async (path) => openStream(entryOf(path)),
    close: () => Promise.resolve(zip.close()),
  };
}

/** The descriptor, and its folder with its slash; empty at the root. */
function rootOf(
  names: readonly string[],
  zipPath: string,
): { readonly root: string; readonly descriptor: PackageKind; readonly table: string | null } {
  for (const descriptor of DESCRIPTORS) {
    const roots = names
      .filter((name) => !name.startsWith(MAC_FOLDER) && isAtTop(name, descriptor))
      .map((name) => name.slice(0, -descriptor.length));
    const [root] = roots.includes('') ? [''] : roots;
    if (root === undefined) continue;
    if (root !== '' && roots.length > 1) {
      throw new PackageError(`${zipPath} holds ${roots.length} packages; give them one by one.`);
    }
    return { root, descriptor, table: null };
  }
  const [table, ...others] = names.filter(
    (name) => !name.startsWith(MAC_FOLDER) && /\.(?:csv|tsv|txt|tab)$/i.test(name),
  );
  if (table !== undefined && others.length === 0) return { root: '', descriptor: 'table', table };
  throw new PackageError(
    `${zipPath} has neither ${DESCRIPTORS.join(' nor ')}, at its top or in a top folder.`,
  );
}

/** Whether it is this file, at the root or in a top folder. */
function isAtTop(name: string, file: string): boolean {
  const slash = name.indexOf('/');
  return name.slice(slash + 1) === file;
}
