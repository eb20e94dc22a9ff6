/** Reads a backup, and refuses one that is damaged or cut short. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { Entry, ZipFile } from 'yauzl';
import { errorText, StartError } from '../../core/start-error';
import { openZipFile, readEntries } from '../../core/zip-entries';
import {
  DATABASES,
  FILE_NAME,
  FILES,
  FORMAT,
  MANIFEST,
  manifestSchema,
  SECRETS,
  SUMS,
  type Manifest,
  type BackupPart,
} from './manifest';

/** Bytes of a manifest, and of the list of the files. */
const MAX_MANIFEST = 16 * 1024 * 1024;
const MAX_SUMS = 1024 * 1024 * 1024;

/** The file of a backup that does not have what its manifest says. */
export const damaged = (path: string, why: string): StartError =>
  new StartError(
    `${path} is damaged or cut short (${why}); nothing is restored from it. Take another backup.`,
  );

export class ArchiveReader {
  private constructor(
    private readonly path: string,
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
    readonly manifest: Manifest,
    /** The names of the files of photographs, with their hashes. */
    readonly sums: ReadonlyMap<string, string>,
  ) {}

  /** @throws StartError for a file that is no backup, is damaged or cut short, or of a later layout */
  static async open(path: string): Promise<ArchiveReader> {
    const zip = await openZipFile(path).catch((error: unknown) => {
      throw damaged(path, errorText(error));
    });
    try {
      const entries = await readEntries(zip);
      const manifest = await readManifest(path, zip, entries);
      const sums = await readSums(path, zip, entries, manifest);
      const reader = new ArchiveReader(path, zip, entries, manifest, sums);
      reader.expectEntries();
      return reader;
    } catch (error) {
      zip.close();
      throw error instanceof StartError ? error : damaged(path, errorText(error));
    }
  }

  /** Bytes of all that is in it, unpacked. */
  get size(): number {
    return [...this.entries.values()].reduce((sum, entry) => sum + entry.uncompressedSize, 0);
  }

  /** The content of a file. The iteration throws a StartError at its end where it is not what was written. */
  async *read(name: string, { sha256 }: Pick<BackupPart, 'sha256'>): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    try {
      const stream = await streamOf(this.zip, this.entries, name);
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        hash.update(chunk);
        yield chunk;
      }
    } catch (error) {
      throw damaged(this.path, `${name}: ${errorText(error)}`);
    }
    if (hash.digest('hex') !== sha256) throw damaged(this.path, `${name} has another SHA-256`);
  }

  close(): void {
    this.zip.close();
  }

  /** Neither more nor less than the manifest says. */
  private expectEntries(): void {
    const { parts, files, database } = this.manifest;
    const expected = [
      MANIFEST,
      SUMS,
      DATABASES[database],
      ...(parts.secrets ? [SECRETS] : []),
      ...[...this.sums.keys()].map((name) => FILES + name),
    ];
    const isWhole =
      this.sums.size === files.count &&
      expected.length === this.entries.size &&
      expected.every((name) => this.entries.has(name));
    if (!isWhole) throw damaged(this.path, 'its files are not those of its manifest');
  }
}

function streamOf(
  zip: ZipFile,
  entries: ReadonlyMap<string, Entry>,
  name: string,
  most = Infinity,
): Promise<Readable> {
  const entry = entries.get(name);
  if (!entry) throw new Error(`it has no ${name}`);
  if (entry.uncompressedSize > most) throw new Error(`its ${name} is too large`);
  return promisify<Entry, Readable>((one, done) => zip.openReadStream(one, done))(entry);
}

async function readManifest(
  path: string,
  zip: ZipFile,
  entries: ReadonlyMap<string, Entry>,
): Promise<Manifest> {
  const text = await buffer(await streamOf(zip, entries, MANIFEST, MAX_MANIFEST));
  const content: unknown = JSON.parse(text.toString());
  const format = (content as { format?: unknown } | null)?.format;
  if (typeof format === 'number' && format > FORMAT)
    throw new StartError(
      `${path} was made by a later release, whose backups this one cannot read: restore it with that release.`,
    );
  return manifestSchema.validate(content, { strict: true });
}

async function readSums(
  path: string,
  zip: ZipFile,
  entries: ReadonlyMap<string, Entry>,
  { parts }: Manifest,
): Promise<Map<string, string>> {
  const text = await buffer(await streamOf(zip, entries, SUMS, MAX_SUMS));
  const sha256 = createHash('sha256').update(text).digest('hex');
  if (sha256 !== parts.sums.sha256) throw damaged(path, `${SUMS} has another SHA-256`);
  const sums = new Map<string, string>();
  for (const line of text.toString().split('\n')) {
    if (line === '') continue;
    const [, sum = '', name = ''] = /^([0-9a-f]{64}) {2}files\/(.+)$/.exec(line) ?? [];
    if (!FILE_NAME.test(name)) throw damaged(path, `${SUMS} has a line that it should not have`);
    sums.set(name, sum);
  }
  return sums;
}
