/**
 * Transactions of work in the background on a thread of their own. What commits on the event loop stops all reads while it
 * writes to the WAL; this stops nobody but those who want to write, whose turn it takes.
 */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { sql, statementOf, type Statement } from './sql';
import type { Drive } from './sqlite-job';
import {
  driveWork,
  isSeveral,
  type WorkDriver,
  type Rows,
  type StatementRows,
  type Step,
} from './work';

/** A statement as the thread is sent it. */
export interface ApartStatement extends Pick<
  Statement,
  'values' | 'each' | 'givesIds' | 'isAdHoc'
> {
  readonly text: string;
}

/** The rows of all statements, or the error of one. */
export type ApartAnswer =
  | { readonly rows: readonly Rows[] }
  | { readonly error: { readonly message: string; readonly code: string } };

/** Milliseconds without work after which the thread ends, and with it its cache. */
const IDLE = 30_000;

/** Memory of the thread, but for SQLite's own. */
const MEMORY = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 };

/** Who waits for the answer of the thread. */
interface Waiting {
  resolve(rows: readonly Rows[]): void;
  reject(error: Error): void;
}

/** Those of one transaction: what is told goes with the next one that is answered. */
class Statements implements WorkDriver {
  private told: Statement[] = [];

  constructor(private readonly run: (all: readonly Statement[]) => Promise<readonly Rows[]>) {}

  tell(statement: Statement): void {
    this.told.push(statement);
  }

  async answer(step: Step): Promise<StatementRows> {
    const told = this.told;
    this.told = [];
    const asked = isSeveral(step) ? step.several : [step];
    const rows = (await this.run([...told, ...asked])).slice(told.length);
    return isSeveral(step) ? rows : (rows[0] ?? []);
  }
}

export class SqliteApart {
  private thread: Worker | null = null;
  private waiting: Waiting | null = null;
  private idle: NodeJS.Timeout | undefined;

  /** @param file the path of the database */
  constructor(private readonly file: string) {}

  /**
   * Runs work in a transaction, which a power failure may take. The caller has the turn of the writer, so that nobody waits for a
   * lock of SQLite.
   *
   * @param run carries out its work with what it is given
   * @throws whatever the work throws; an error of SQLite with its code
   */
  async transact(run: (drive: Drive) => void | Promise<void>): Promise<void> {
    clearTimeout(this.idle);
    const thread = (this.thread ??= this.start());
    thread.ref();
    try {
      await this.run(thread, [BEGIN]);
      const statements = new Statements((all) => this.run(thread, all));
      await run((work) => driveWork(work, statements));
      await statements.answer(COMMIT);
    } catch (error) {
      // SQLite itself may have done so already.
      if (this.thread === thread) await this.run(thread, [ROLLBACK]).catch(() => undefined);
      throw error;
    } finally {
      thread.unref();
      this.idle = setTimeout(() => void this.close(), IDLE).unref();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.idle);
    await this.thread?.terminate();
  }

  private run(thread: Worker, statements: readonly Statement[]): Promise<readonly Rows[]> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      thread.postMessage(statements.map(sent));
    });
  }

  private hear(answer: ApartAnswer): void {
    if ('rows' in answer) return this.waiting?.resolve(answer.rows);
    const { message, code } = answer.error;
    this.waiting?.reject(Object.assign(new Error(message), { code }));
  }

  private start(): Worker {
    const thread = new Worker(join(__dirname, 'sqlite-writer.js'), {
      workerData: this.file,
      resourceLimits: MEMORY,
    });
    let failure = new Error('the thread that writes in the background has ended');
    thread.on('message', (answer: ApartAnswer) => this.hear(answer));
    thread.on('error', (error) => (failure = error));
    thread.on('exit', () => {
      if (this.thread === thread) this.thread = null;
      this.waiting?.reject(failure);
    });
    return thread;
  }
}

const sent = ({ sql: text, values, each, givesIds, isAdHoc }: Statement): ApartStatement => ({
  text: text.sqlite,
  values,
  ...(each && { each }),
  ...(givesIds && { givesIds }),
  ...(isAdHoc && { isAdHoc }),
});

const BEGIN = statementOf(sql`begin immediate`);
const COMMIT = statementOf(sql`commit`);
const ROLLBACK = statementOf(sql`rollback`);
