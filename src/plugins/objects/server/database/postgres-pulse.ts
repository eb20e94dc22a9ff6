/**
 * Notices that the server of the database stands still: it takes connections and statements, and answers none. Statements
 * have no time limit for that, as a long one is no sign of it; whether the server answers another one is.
 */
import { setImmediate, setTimeout } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { unavailable } from './database';

/** Milliseconds between two looks. */
const LOOK = 500;

/** Milliseconds that a read waits before the server is asked, and from the one answer to the next question. */
const SLOW = 1500;

/** Milliseconds that an answer may take. With the others, a read waits for 4.5 s at most. */
const ANSWER = 2500;

interface Wait {
  readonly since: number;
  readonly reject: (error: Error) => void;
}

/** Asks the server with a connection of its own. @returns whether it says anything, if it is a refusal */
export async function isAnswering(config: ClientConfig): Promise<boolean> {
  const client = new Client(config);
  client.on('error', () => undefined);
  let hasAnswered = false;
  const asked = client
    .connect()
    .then(() => client.query('select 1'))
    .catch(() => undefined)
    .finally(() => (hasAnswered = true));
  await Promise.race([asked, setTimeout(ANSWER, null, { ref: false })]);
  // Where this process was busy, the answer may be there, and not read yet.
  await setImmediate();
  await setImmediate();
  void client.end().catch(() => undefined);
  return hasAnswered;
}

export class Pulse {
  private readonly waiting = new Set<Wait>();
  private readonly timer: NodeJS.Timeout;
  private isAsking = false;
  private answered = 0;

  /** No job: it watches the reads of this process. @param ask whether the server answers; known in at most 2.5 s */
  constructor(private readonly ask: () => Promise<boolean>) {
    this.timer = setInterval(() => void this.look(), LOOK).unref();
  }

  /** What comes of a read. @throws ApiError UNAVAILABLE when the server stands still */
  watch<T>(read: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const wait: Wait = { since: performance.now(), reject };
      this.waiting.add(wait);
      read.then(
        (value) => {
          this.waiting.delete(wait);
          resolve(value);
        },
        (error: Error) => {
          this.waiting.delete(wait);
          reject(error);
        },
      );
    });
  }

  close(): void {
    clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    const [oldest] = this.waiting;
    const now = performance.now();
    if (!oldest || this.isAsking || now - Math.max(oldest.since, this.answered) < SLOW) return;
    this.isAsking = true;
    const isAlive = await this.ask();
    this.isAsking = false;
    this.answered = performance.now();
    if (isAlive) return;
    for (const wait of this.waiting) {
      if (wait.since > now) break;
      this.waiting.delete(wait);
      wait.reject(unavailable(new Error('PostgreSQL stands still')));
    }
  }
}
