/** A zip that is made while it is sent. */
import { Readable, finished } from 'node:stream';
import { ZipFile } from 'yazl';

/** A file of a zip. */
export interface Entry {
  readonly name: string;
  /** Called once, when its turn has come. */
  readonly content: () => Iterable<string> | AsyncIterable<string | Buffer>;
}

/** Half the time of zlib's default, for files that are a fifth larger. */
const COMPRESSION = 3;

/**
 * A zip of these files, one after the other: each is asked for when the one before has been sent. One that fails breaks
 * the zip off.
 *
 * @param close called once, when all has been sent or nothing more will be
 */
export function zipOf(
  entries: readonly Entry[],
  mtime: Date,
  close: () => Promise<void>,
): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  let current: Readable | null = null;
  const fail = (error: Error): void => void output.destroy(error);
  zip.on('error', fail);
  for (const { name, content } of entries) {
    const options = { mtime, compressionLevel: COMPRESSION };
    zip.addReadStreamLazy(name, options, (give) => {
      // What was before it may have been compressed to its end after the zip has broken off.
      if (output.destroyed) return;
      current = Readable.from(content());
      current.on('error', fail);
      give(null, current);
    });
  }
  zip.end();
  finished(output, () => {
    const ended = current;
    current = null;
    if (!ended || ended.closed) return void close();
    // What it reads from is closed after it.
    ended.once('close', () => void close());
    ended.destroy();
  });
  return output;
}
