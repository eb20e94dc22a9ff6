/** Reads the central directory of a zip. */
import { once } from 'node:events';
import { promisify } from 'node:util';
import { open, type Entry, type Options, type ZipFile } from 'yauzl';

const openFile = promisify<string, Options, ZipFile>(open);

/** Opens a zip, whose files are unpacked when they are read. It stays open until it is closed. */
export const openZipFile = (path: string): Promise<ZipFile> =>
  openFile(path, { lazyEntries: true, autoClose: false });

/** All files of a zip by their names. Of a damaged one, the promise rejects with the error of the parser. */
export async function readEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  zip.on('entry', (entry: Entry) => {
    entries.set(entry.fileName, entry);
    zip.readEntry();
  });
  const end = once(zip, 'end');
  zip.readEntry();
  await end;
  return entries;
}
