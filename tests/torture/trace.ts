import { createReadStream } from 'node:fs';
import { basename, dirname } from 'node:path';
import { createInterface } from 'node:readline';

/** The files of SQLite that a power failure leaves. Its shared memory is made anew of them. */
export const FILES = ['db.sqlite', 'db.sqlite-wal'] as const;
export type FileName = (typeof FILES)[number];

/** A system call that a power failure may undo, or that prevents this. */
export type DiskCall =
  | { readonly does: 'write'; readonly file: FileName; readonly at: number; readonly bytes: Buffer }
  | { readonly does: 'truncate'; readonly file: FileName; readonly size: number }
  | { readonly does: 'sync'; readonly file: FileName }
  | { readonly does: 'sync folder' }
  | { readonly does: 'unlink'; readonly file: FileName };

/** A call, which begins before it ends: other threads may be between. */
export interface Call {
  readonly thread: number;
  readonly what: DiskCall;
  /** What it has returned: the number of bytes of a write, -1 for a failure; null where the process has ended before. */
  result: number | null;
}

/** What has happened, in the order of the trace: strace sees one call after the other. */
export type Happening =
  | { readonly is: 'begin' | 'end'; readonly call: Call }
  /** The service begins to send an answer. */
  | { readonly is: 'answer'; readonly transactionId: string };

const LINE = /^(\d+) +(?:<\.\.\. (\w+) resumed>|(\w+)\()(.*)$/s;
const RESULT = /\) += (-?\d+)[^"]*$/;
const UNFINISHED = ' <unfinished ...>';

/**
 * Reads a trace (`strace.ts`) of a service.
 *
 * @param folder of its database
 * @throws Error for a call on these files that is no `DiskCall`
 */
export async function readTrace(file: string, folder: string): Promise<Happening[]> {
  const happenings: Happening[] = [];
  const underWay = new Map<number, Call>();
  for await (const line of createInterface({ input: createReadStream(file, 'latin1') })) {
    const [, pid, resumed, name = '', rest = ''] = LINE.exec(line) ?? [];
    if (pid === undefined) continue;
    const thread = Number(pid);
    const isUnfinished = rest.endsWith(UNFINISHED);
    let call = underWay.get(thread);
    if (resumed === undefined) {
      const transactionId = answered(name, rest);
      if (transactionId !== null) happenings.push({ is: 'answer', transactionId });
      const what = diskCall(name, rest, folder);
      if (!what) continue;
      call = { thread, what, result: null };
      happenings.push({ is: 'begin', call });
    }
    if (!call) continue;
    if (isUnfinished) {
      underWay.set(thread, call);
      continue;
    }
    underWay.delete(thread);
    // A call that the end of the process has interrupted has no result.
    const [, result] = RESULT.exec(rest) ?? [];
    if (result === undefined) continue;
    call.result = Number(result);
    happenings.push({ is: 'end', call });
  }
  return happenings;
}

/** The bytes of a string as strace prints it, each as `\x5a`. */
function text(printed: string): Buffer {
  const bytes = Buffer.allocUnsafe(printed.length / 4);
  for (let n = 0; n < bytes.length; n += 1)
    bytes[n] = 16 * digit(printed, 4 * n + 2) + digit(printed, 4 * n + 3);
  return bytes;
}

/** A hexadecimal digit in lower case. */
function digit(printed: string, at: number): number {
  const code = printed.charCodeAt(at);
  return code < 0x3a ? code - 0x30 : code - 0x57;
}

/** The strings of a call: the bytes of a write, or the paths. */
const strings = (given: string): Buffer[] =>
  [...given.matchAll(/"([^"]*)"/g)].map(([, hex = '']) => text(hex));

/** The transaction ID of the answer that a call sends. */
function answered(name: string, given: string): string | null {
  if (name !== 'write' && name !== 'writev') return null;
  const sent = Buffer.concat(strings(given)).toString('latin1');
  return /^HTTP\/1\.1 .*"transactionId":"([^"]+)"/s.exec(sent)?.[1] ?? null;
}

function diskCall(name: string, given: string, folder: string): DiskCall | null {
  // `22</path>`: a file that is open, `"/path"`: a name.
  const opened = /^\d+<([^>]*)>/.exec(given)?.[1];
  const paths = opened === undefined ? strings(given) : [text(opened)];
  const path = paths.map(String).find((one) => one === folder || dirname(one) === folder);
  if (path === undefined) return null;
  const isSync = name === 'fsync' || name === 'fdatasync';
  if (path === folder) return isSync ? { does: 'sync folder' } : null;
  const file = FILES.find((one) => one === basename(path));
  if (!file) return null;
  if (isSync) return { does: 'sync', file };
  const numbers = given.replace(UNFINISHED, ')').match(/(\d+)\)/)?.[1];
  if (name === 'ftruncate') return { does: 'truncate', file, size: Number(numbers) };
  if (name === 'unlink') return { does: 'unlink', file };
  const [bytes] = strings(given);
  if (name !== 'pwrite64' || !bytes || given.includes('"...'))
    throw new Error(`A trace does not tell what ${name} does to ${file}: ${given.slice(-100)}`);
  return { does: 'write', file, at: Number(numbers), bytes };
}
