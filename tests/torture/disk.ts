import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from './scale';
import { FILES, type Call, type DiskCall, type FileName } from './trace';

/** Bytes that a disk writes wholly or not at all. */
const SECTOR = 512;

type Change = Extract<DiskCall, { readonly does: 'write' | 'truncate' }>;

/** The content of a file, which grows. */
class Bytes {
  private buffer: Buffer;
  private size: number;

  constructor(content: Buffer) {
    this.buffer = Buffer.from(content);
    this.size = content.length;
  }

  apply(change: Change): void {
    if (change.does === 'truncate') return this.resize(change.size);
    this.resize(Math.max(this.size, change.at + change.bytes.length));
    change.bytes.copy(this.buffer, change.at);
  }

  get content(): Buffer {
    return this.buffer.subarray(0, this.size);
  }

  private resize(size: number): void {
    if (size > this.buffer.length) {
      const larger = Buffer.alloc(2 * size);
      this.content.copy(larger);
      this.buffer = larger;
    } else this.buffer.fill(0, size, Math.max(size, this.size));
    this.size = size;
  }
}

/** A change of a file, of which nobody knows whether it is on the disk. */
interface Unsynced {
  readonly call: Call;
  readonly change: Change;
  /** Only what has ended before a sync begins is synced by it. */
  hasEnded: boolean;
}

/** A file: what is on the disk for sure, and the changes since then. */
interface File {
  readonly synced: Bytes;
  unsynced: Unsynced[];
}

/** A folder: which names lead to which files. */
type Names = ReadonlyMap<FileName, File>;

/**
 * What may be on a disk when its power fails: all that was synced, and anything of what was written since then. The calls of a
 * trace change it. A sync that fails leaves what it had to write on the disk or not, and for good: the system takes it for
 * written, so that no later sync writes it (https://lwn.net/Articles/752063/).
 */
export class Disk {
  /** The names that are on the disk for sure, and then what they were after each change since. */
  private names: Names[];
  private readonly syncs = new Map<Call, () => void>();

  /** @param folder with the files that are there at first, synced */
  constructor(
    folder: string,
    private readonly random: Random,
  ) {
    const there = filesOf(folder);
    this.names = [new Map(there.map((name) => [name, fileOf(readFileSync(join(folder, name)))]))];
  }

  follow({ is, call }: { readonly is: 'begin' | 'end'; readonly call: Call }): void {
    if (is === 'begin') this.begin(call);
    else this.end(call);
  }

  /** Writes what is left of a power failure now into a new folder. */
  leave(folder: string): void {
    mkdirSync(folder);
    // Of changes of names the first ones are on the disk: file systems keep their order.
    const names = this.names[Math.floor(this.random() * this.names.length)] ?? this.now;
    for (const [name, { synced, unsynced }] of names) {
      const left = new Bytes(synced.content);
      for (const change of survivors(unsynced, this.random)) left.apply(change);
      writeFileSync(join(folder, name), left.content);
    }
  }

  private get now(): Names {
    return this.names.at(-1) ?? new Map<FileName, File>();
  }

  private begin(call: Call): void {
    const { what, result } = call;
    if (what.does === 'sync folder') {
      const synced = this.now;
      this.syncs.set(call, () => {
        if (result === 0) this.names = this.names.slice(this.names.indexOf(synced));
      });
    } else if (what.does === 'unlink') {
      const left = [...this.now].filter(([name]) => name !== what.file);
      if (result === 0) this.names.push(new Map(left));
    } else if (what.does === 'sync') {
      const file = this.now.get(what.file);
      if (file) this.syncs.set(call, syncOf(call, file, this.random));
    } else {
      const file = this.now.get(what.file) ?? this.create(what.file);
      const change = done(what, result);
      if (change) file.unsynced.push({ call, change, hasEnded: false });
    }
  }

  private end(call: Call): void {
    this.syncs.get(call)?.();
    this.syncs.delete(call);
    const { what } = call;
    if (what.does !== 'write' && what.does !== 'truncate') return;
    const change = this.now.get(what.file)?.unsynced.findLast((one) => one.call === call);
    if (change) change.hasEnded = true;
  }

  private create(name: FileName): File {
    const file = fileOf(Buffer.alloc(0));
    this.names.push(new Map([...this.now, [name, file]]));
    return file;
  }
}

const filesOf = (folder: string): FileName[] =>
  FILES.filter((name) => existsSync(join(folder, name)));

/** Copies the files of a database that is not in use. */
export function copyFiles(from: string, to: string): void {
  for (const name of filesOf(from)) copyFileSync(join(from, name), join(to, name));
}

const fileOf = (content: Buffer): File => ({ synced: new Bytes(content), unsynced: [] });

/** What a call has really done. One that the end of the process has interrupted may have done all. */
function done(change: Change, result: number | null): Change | null {
  if (result === null) return change;
  if (result < 0) return null;
  return change.does === 'write' ? { ...change, bytes: change.bytes.subarray(0, result) } : change;
}

/** A sync that begins now. @returns its end */
function syncOf({ thread, result }: Call, file: File, random: Random): () => void {
  const covered = file.unsynced.filter(({ hasEnded }) => hasEnded);
  return () => {
    // The system tells each thread that a write has failed: of what others have written, their own sync tells them.
    if (result !== 0 && covered.some(({ call }) => call.thread !== thread)) return;
    const kept = result === 0 ? covered.map(({ change }) => change) : survivors(covered, random);
    for (const change of kept) file.synced.apply(change);
    file.unsynced = file.unsynced.filter((one) => !covered.includes(one));
  };
}

/** Some of the changes: none, all, the first ones, any, or of each sector another part of its changes. */
function survivors(unsynced: readonly Unsynced[], random: Random): Change[] {
  const changes = unsynced.map(({ change }) => change);
  const kind = random();
  if (kind < 0.1) return [];
  if (kind < 0.2) return changes;
  if (kind < 0.5) {
    const first = changes.slice(0, Math.ceil(random() * changes.length));
    return [...first.slice(0, -1), ...first.slice(-1).flatMap((last) => torn(last, random))];
  }
  if (kind < 0.75) {
    const share = random();
    return changes.filter(() => random() < share);
  }
  return changes.flatMap((change) => torn(change, random));
}

/** Some of the sectors of a change. */
function torn(change: Change, random: Random): Change[] {
  if (change.does === 'truncate') return random() < 0.5 ? [change] : [];
  const parts: Change[] = [];
  const { at, bytes } = change;
  for (let from = at; from < at + bytes.length;) {
    const to = Math.min(from - (from % SECTOR) + SECTOR, at + bytes.length);
    if (random() < 0.5)
      parts.push({ ...change, at: from, bytes: bytes.subarray(from - at, to - at) });
    from = to;
  }
  return parts;
}
