import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MARKER } from '#app/boot/installation';
import { testDatabase, type FreshDatabase } from '../helpers/database';
import { send } from '../helpers/http';
import { at, parsed } from '../helpers/json';
import { photograph, uploadRequest } from '../helpers/upload';
import type { Server } from './server';
import { readPhotographs } from './store';

const WORKERS = 6;

/** Photographs that are sent over HTTP, and what was answered. */
export class Uploads {
  readonly acknowledged = new Set<string>();
  /** Uploads whose outcome is unknown. */
  lost = 0;

  /** Sends one. @param padding bytes behind its image @returns the status, null for a connection that broke */
  async send(url: string, padding: number): Promise<number | null> {
    const bytes = Buffer.concat([await photograph(300, 200), Buffer.alloc(padding)]);
    try {
      const { status, text } = await send(url, uploadRequest({ bytes }));
      if (status === 200) this.acknowledged.add(String(at(parsed(text), 'response', 'id')));
      return status;
    } catch {
      this.lost += 1;
      return null;
    }
  }

  /** Sends uploads until it is stopped, the last one only in part. */
  start(url: string): { stop(): Promise<void> } {
    let isStopped = false;
    const half = sendHalf(url);
    const workers = Array.from({ length: WORKERS }, async () => {
      while (!isStopped && (await this.send(url, 100_000)) !== null);
    });
    return {
      async stop() {
        isStopped = true;
        half.destroy();
        await Promise.all(workers);
      },
    };
  }

  /** Returns as soon as one more is acknowledged than by now. */
  async further(): Promise<void> {
    const before = this.acknowledged.size;
    while (this.acknowledged.size === before) await sleep(5);
  }
}

function sendHalf(url: string) {
  const { raw, headers = {} } = uploadRequest({ bytes: Buffer.alloc(100_000) });
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  const length = (raw?.length ?? 0) + 1;
  socket.write(
    `POST /api/v0/asset HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n${lines.join('')}\r\n`,
  );
  socket.write(raw ?? '');
  return socket;
}

/** The files of uploads that a process had in progress. */
export function leftoversOf({ dataDir }: FreshDatabase, { pid }: Server): string[] {
  try {
    return readdirSync(join(dataDir, 'incoming', String(pid)));
  } catch {
    return [];
  }
}

/** The faults: acknowledged and missing, stored without its files, files that neither a row nor the list contains. */
export async function photographFaults(
  { dataDir, env }: FreshDatabase,
  acknowledged: ReadonlySet<string>,
): Promise<string[]> {
  const { rows, listed } = await readPhotographs(env);
  const found = new Set(readdirSync(join(dataDir, 'public', 'uploads')));
  const ids = new Set(rows.map(({ id }) => id));
  const wanted = rows.flatMap(({ files }) => namesOf(files));
  const expected = new Set([MARKER, ...wanted, ...listed.flatMap(namesOf)]);
  return [
    ...[...acknowledged].flatMap((id) =>
      ids.has(id) ? [] : `${id} was acknowledged, and is not there`,
    ),
    ...wanted.flatMap((name) => (found.has(name) ? [] : `${name} is not there`)),
    ...[...found].flatMap((name) => (expected.has(name) ? [] : `nobody knows of ${name}`)),
    // Where several servers share a PostgreSQL, files that another one may be receiving stay for an hour.
    ...(testDatabase === 'sqlite' ? listed.map((files) => `${files} was not swept up`) : []),
  ];
}

const namesOf = (files: string): string[] => [
  files,
  ...['large', 'small', 'thumbnail'].map((name) => `${files}-${name}.webp`),
];

/** Lets no file of a process grow beyond a size (`setrlimit(2)`, RLIMIT_FSIZE), as a quota does. @param max null for any */
export function boundFiles({ pid }: Server, max: number | null): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${max ?? 'unlimited'}:unlimited`]);
}
