import type { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { send, type Answer, type Request } from '../helpers/http';
import { uuid } from '../helpers/ids';
import { at, parsed, type Json } from '../helpers/json';
import { bodyOf, type Attempt } from './ledger';
import type { Random } from './scale';

const TYPE = '/api/v0/encounter';

/** An object that every worker changes, so that writes of one object meet. */
export const SHARED = uuid(1);

/** A taxon that does not exist: requests that refer to it are refused among others that succeed. */
const NOBODY = uuid(0xdead);

const WORKERS = 24;

/** How requests are sent: by default each over a connection of its own, and as anybody. */
export interface LoadOptions {
  readonly headers?: Request['headers'];
  readonly agent?: Agent;
  readonly workers?: number;
  /** How often what was written is read; by default once. */
  readonly reads?: number;
}

/** Concurrent creates, updates, deletes and reads over HTTP, with a ledger of requests and answers. */
export class Load {
  readonly attempts: Attempt[] = [];
  /** Answers that no state of the service allows. */
  readonly wrong: string[] = [];
  /** How often each status was answered; `none` for a connection that broke. */
  readonly statuses = new Map<number | 'none', number>();
  private marks = 0;
  private objects = 1;

  constructor(
    private readonly random: Random,
    private readonly options: LoadOptions = {},
  ) {}

  /** Makes the object that all share. */
  async prepare(url: string): Promise<void> {
    await this.change(url, 'create', SHARED);
  }

  /** Sends requests until it is stopped, and then waits for the last answers. @param count how many at once */
  start(url: string, count = this.options.workers ?? WORKERS): { stop(): Promise<void> } {
    let isStopped = false;
    const workers = Array.from({ length: count }, async () => {
      while (!isStopped) if (!(await this.round(url, () => isStopped))) await sleep(20);
    });
    return {
      async stop() {
        isStopped = true;
        await Promise.all(workers);
      },
    };
  }

  /** How many changes were acknowledged. */
  get acknowledged(): number {
    return this.attempts.filter(({ version }) => version !== null).length;
  }

  /** How many requests were sent, and have ended. */
  get sent(): number {
    return [...this.statuses.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Returns as soon as one more change is acknowledged than by now. */
  async further(): Promise<void> {
    const before = this.acknowledged;
    while (this.acknowledged === before) await sleep(5);
  }

  /** The life of one object. @returns false as soon as its state is unknown */
  private async round(url: string, isStopped: () => boolean): Promise<boolean> {
    const id = uuid((this.objects += 1));
    if (this.random() < 0.1) return this.refuse(url, id);
    let last = await this.change(url, 'create', id);
    const updates = Math.floor(this.random() * 4);
    for (let n = 0; n < updates && last && !isStopped(); n += 1) {
      for (let reads = this.options.reads ?? 1; reads > 0; reads -= 1)
        if (!(await this.read(url, id, last))) return false;
      last = await this.change(url, 'update', id);
      if (last && last.version !== n + 2)
        this.wrong.push(`${id} is ${last.version} after ${n + 1}`);
    }
    if (this.random() < 0.3 && last) last = await this.change(url, 'delete', id);
    return last !== null && (await this.change(url, 'update', SHARED)) !== null;
  }

  /** @returns null when there is no acknowledgment */
  private async change(
    url: string,
    action: Attempt['action'],
    object: string,
  ): Promise<Attempt | null> {
    const attempt = this.attempt(object, action);
    const body = bodyOf(attempt.mark);
    const one = `${TYPE}/${object}`;
    const answer = await this.ask(
      url,
      action === 'create'
        ? { method: 'POST', url: TYPE, body: { id: object, ...body } }
        : action === 'update'
          ? { method: 'PUT', url: one, body }
          : { method: 'DELETE', url: one },
    );
    attempt.status = answer?.status ?? null;
    if (answer?.status !== 200) return null;
    const before = this.attempts.findLast((other) => other.object === object && other !== attempt);
    const acknowledgment = parsed(answer.text);
    const version = at(acknowledgment, 'response', 'version');
    attempt.transactionId = String(at(acknowledgment, 'transactionId'));
    // A creation answers with the ID alone, a deletion with nothing: the version is the one that is known.
    attempt.version =
      action === 'update' ? Number(version) : action === 'create' ? 1 : (before?.version ?? -1);
    return attempt;
  }

  /** What cannot be done, and must leave nothing behind. */
  private async refuse(url: string, id: string): Promise<boolean> {
    const attempt = this.attempt(id, 'create');
    attempt.refused = true;
    const body = { id, ...bodyOf(attempt.mark), taxonomy: NOBODY };
    const answer = await this.ask(url, { method: 'POST', url: TYPE, body }, 400);
    return answer?.status === 400;
  }

  private async read(url: string, id: string, { mark, version }: Attempt): Promise<boolean> {
    const answer = await this.ask(url, { method: 'GET', url: `${TYPE}/${id}` });
    if (answer?.status !== 200) return false;
    const read = at(parsed(answer.text), 'response');
    const [seen, word] = [at(read, 'version'), at(read, 'remarks')];
    if (seen !== version || word !== mark) {
      this.wrong.push(`${id} reads as ${String(seen)} ${String(word)}, not ${version} ${mark}`);
    }
    return true;
  }

  private attempt(object: string, action: Attempt['action']): Attempt {
    const mark = `m${(this.marks += 1)}`;
    const attempt: Attempt = {
      object,
      action,
      mark,
      version: null,
      status: null,
      transactionId: null,
      refused: false,
    };
    this.attempts.push(attempt);
    return attempt;
  }

  /** @returns null when the connection broke before the answer was read to its end */
  private async ask(
    url: string,
    request: { readonly method: string; readonly url: string; readonly body?: Json },
    expected = 200,
  ): Promise<Answer | null> {
    const { headers, agent } = this.options;
    const answer = await send(url, { headers, ...request }, agent).catch(() => null);
    const status = answer?.status ?? 'none';
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (answer && status !== expected && status !== 503) {
      this.wrong.push(`${request.method} ${request.url}: ${status} ${answer.text.slice(0, 200)}`);
    }
    return answer;
  }
}

/** Asks the service for every object that the ledger speaks of. @returns what differs from what is stored */
export async function unread(
  url: string,
  ids: readonly string[],
  stored: ReadonlyMap<string, number>,
  headers?: Request['headers'],
): Promise<string[]> {
  const faults: string[] = [];
  const queue = [...ids];
  const worker = async (): Promise<void> => {
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      const { status, text } = await send(url, { method: 'GET', url: `${TYPE}/${id}`, headers });
      const version = status === 200 ? at(parsed(text), 'response', 'version') : undefined;
      const expected = stored.get(id);
      if (version !== expected || status !== (expected === undefined ? 402 : 200))
        faults.push(`${id} is answered with ${status} ${String(version)}, stored ${expected}`);
    }
  };
  await Promise.all(Array.from({ length: 10 }, worker));
  return faults;
}
