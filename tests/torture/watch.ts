import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { send, type Answer, type Request } from '../helpers/http';
import { at, parsed } from '../helpers/json';
import { SHARED } from './load';
import { tell } from './scale';
import type { Server } from './server';

/** MiB of memory that the process may use under any load. */
export const MAX_MEMORY = 500;

/** Milliseconds within which a well-behaved client is answered, if only with a refusal. */
const PATIENCE = 10_000;

/** The requests of the well-behaved client: a read, and an object with all its fields. */
const CALLS: readonly Request[] = [
  { method: 'GET', url: `/api/v0/encounter/${SHARED}` },
  {
    method: 'POST',
    url: '/api/v0/encounter',
    body: {
      remarks: 'r'.repeat(10_000),
      measurements: Array.from({ length: 100 }, (_, value) => ({ type: 't'.repeat(255), value })),
    },
  },
];
const ALIVE: Request = { method: 'GET', url: '/_health' };

/** The answers to the well-behaved client during the load, and the memory of the process. */
export interface Seen {
  /** How often each call was answered with 200. */
  readonly served: number[];
  refused: number;
  /** Milliseconds that the slowest answer took. */
  slowest: number;
  /** Answers that are wrong even in an overload. */
  readonly faults: string[];
  /** MiB, at the most. */
  memory: number;
}

/** Puts a load on the service while a well-behaved client uses it. @returns the measurements */
export async function watched(
  server: Server,
  name: string,
  action: () => Promise<string>,
): Promise<Seen> {
  const seen: Seen = { served: CALLS.map(() => 0), refused: 0, slowest: 0, faults: [], memory: 0 };
  let isOver = false;
  await server.loopDelay();
  // Forgets the peak (proc(5), clear_refs).
  writeFileSync(`/proc/${server.pid}/clear_refs`, '5');
  const beside = (async () => {
    while (!isOver) {
      for (const [n, call] of CALLS.entries()) await judge(server, call, seen, n);
      await judge(server, ALIVE, seen);
      await sleep(50);
    }
  })();
  const told = await action().finally(() => (isOver = true));
  await beside;
  seen.memory = memoryOf(server.pid);
  const { p50, max } = await server.loopDelay();
  tell(
    `${name}: ${told}; beside it ${seen.served.join(' + ')} served, ${seen.refused} refused, ` +
      `${Math.round(seen.slowest)} ms at the most; event loop late by ${p50} ms (median), ${max} ms (most); ` +
      `${seen.memory} MiB at the most`,
  );
  return seen;
}

async function judge(server: Server, call: Request, seen: Seen, n?: number): Promise<void> {
  const asked = performance.now();
  const answer = await Promise.race([
    send(server.url, call).catch((error: unknown) => String(error)),
    sleep(PATIENCE, `no answer in ${PATIENCE} ms`, { ref: false }),
  ]);
  seen.slowest = Math.max(seen.slowest, performance.now() - asked);
  if (typeof answer === 'string') seen.faults.push(`${call.method} ${call.url}: ${answer}`);
  else if (n !== undefined && isRefusal(answer)) seen.refused += 1;
  else if (answer.status !== 200) seen.faults.push(`${call.method} ${call.url}: ${answer.status}`);
  else if (n !== undefined) seen.served[n] = (seen.served[n] ?? 0) + 1;
}

/** A refusal for too much, as the contract has it. */
const isRefusal = ({ status, headers, text }: Answer): boolean =>
  (status === 503 || status === 429) &&
  /^\d+$/.test(headers['retry-after'] ?? '') &&
  /^API_RESPONSE_/.test(String(at(parsed(text), 'message', 'key')));

/** The most that a process has taken since its peak was forgotten, in MiB. */
function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s*(\d+)/m.exec(status)?.[1]) / 1024);
}
