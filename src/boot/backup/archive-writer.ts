/** Writes a backup: whole, and readable by this user only, or not at all. */
import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ZipFile } from 'yazl';
import { sync } from './durable';
import type { BackupPart } from './manifest';

/** Bytes a second: the service beside it reads from the same disk. */
const SPEED = 100 * 1024 * 1024;

/** Half the time of zlib's default, for files that are a fifth larger. */
const COMPRESSION = 3;

/** The end of the name of a backup that is being made. */
export const PARTIAL = '.partial';

export interface PartOptions {
  /** Whether it is compressed already, as images are. */
  readonly isDense?: boolean;
}

export class ArchiveWriter {
  private readonly zip = new ZipFile();
  private readonly partial: string;
  private readonly written: Promise<void>;
  private readonly broken: Promise<never>;
  private readonly start = performance.now();
  private bytes = 0;

  /** @param file does not exist yet */
  constructor(
    private readonly file: string,
    private readonly mtime: Date,
  ) {
    this.partial = `${file}.${randomBytes(4).toString('hex')}${PARTIAL}`;
    const output = createWriteStream(this.partial, { flags: 'wx', mode: 0o600 });
    this.written = pipeline(this.zip.outputStream as Readable, output);
    this.broken = new Promise((_, reject) => {
      this.zip.on('error', reject);
      this.written.catch(reject);
    });
    this.broken.catch(() => undefined);
    process.once('exit', this.remove);
  }

  /**
   * Adds a file, after those that were added before.
   *
   * @returns its size and hash
   * @throws what reading it or writing the archive throws
   */
  async add(
    name: string,
    content: Iterable<Buffer> | AsyncIterable<Buffer>,
    { isDense = false }: PartOptions = {},
  ): Promise<BackupPart> {
    let give: (part: BackupPart) => void = () => undefined;
    let refuse: (error: unknown) => void = () => undefined;
    const added = new Promise<BackupPart>((resolve, reject) => {
      [give, refuse] = [resolve, reject];
    });
    const stream = Readable.from(this.measured(content, give, refuse), { objectMode: false });
    stream.on('error', refuse);
    this.zip.addReadStream(stream, name, {
      mtime: this.mtime,
      mode: 0o100600,
      ...(isDense ? { compress: false } : { compressionLevel: COMPRESSION }),
      // Its size, which is not known yet, may be more than 4 GiB.
      forceZip64Format: true,
    });
    try {
      return await Promise.race([added, this.broken]);
    } finally {
      added.catch(() => undefined);
    }
  }

  /** Ends the archive and gives it its name, once all of it is on the disk. */
  async finish(): Promise<void> {
    this.zip.end();
    await this.written;
    await sync(this.partial);
    await rename(this.partial, this.file);
    process.off('exit', this.remove);
    await sync(dirname(this.file));
  }

  /** Leaves nothing. */
  async abort(): Promise<void> {
    (this.zip.outputStream as Readable).destroy();
    await this.written.catch(() => undefined);
    this.remove();
    process.off('exit', this.remove);
  }

  private readonly remove = (): void => rmSync(this.partial, { force: true });

  private async *measured(
    content: Iterable<Buffer> | AsyncIterable<Buffer>,
    give: (part: BackupPart) => void,
    refuse: (error: unknown) => void,
  ): AsyncGenerator<Buffer> {
    const hash = createHash('sha256');
    let size = 0;
    try {
      for await (const chunk of content) {
        hash.update(chunk);
        size += chunk.length;
        await this.keepPace(chunk.length);
        yield chunk;
      }
    } catch (error) {
      refuse(error);
      throw error;
    }
    give({ size, sha256: hash.digest('hex') });
  }

  private async keepPace(bytes: number): Promise<void> {
    this.bytes += bytes;
    const ahead = (this.bytes / SPEED) * 1000 - (performance.now() - this.start);
    if (ahead > 10) await sleep(ahead);
  }
}
