/** Texts that are kept in a temporary file until it is their turn in an archive. */
import { randomUUID } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Bytes that are read at once. */
const CHUNK = 64 * 1024;

export class Spool {
  private size = 0;

  private constructor(private readonly file: FileHandle) {}

  /** The file has no name any more when this ends: whatever happens to the process, nothing is left behind. */
  static async open(): Promise<Spool> {
    const path = join(tmpdir(), `oms-export-${randomUUID()}`);
    const file = await open(path, 'wx+', 0o600);
    try {
      await unlink(path);
    } catch (error) {
      await file.close();
      throw error;
    }
    return new Spool(file);
  }

  async append(text: string): Promise<void> {
    if (text === '') return;
    await this.file.appendFile(text);
    this.size += Buffer.byteLength(text);
  }

  /** All that was appended, in its order. */
  async *read(): AsyncGenerator<Buffer> {
    for (let position = 0; position < this.size;) {
      const { buffer, bytesRead } = await this.file.read(Buffer.alloc(CHUNK), 0, CHUNK, position);
      if (bytesRead === 0) throw new Error('a temporary file has lost its end');
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  close(): Promise<void> {
    return this.file.close();
  }
}
