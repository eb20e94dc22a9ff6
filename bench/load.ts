/** The load generator: kept-alive connections, each with one request at a time. */
import { Client, type Dispatcher } from 'undici';

/** One request. */
export interface Call {
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer;
  /** Called after a successful answer, with the milliseconds from sending to the last byte. */
  readonly done?: (body: string, took: number) => void;
}

/** Gives a connection its next request, null when there is none left. */
export type NextCall = (connection: number) => Call | null;

/** The result of a load. */
export interface Load {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds from sending to the last byte, ascending. */
  readonly latencies: Float64Array;
  /**
   * The utilization of the load generator's event loop, from 0 to 1: near 1, the generator itself is the bottleneck.
   */
  readonly ownUtilization: number;
}

interface Options {
  readonly connections: number;
  /** The duration in seconds; by default until there are no more requests. */
  readonly seconds?: number;
}

/** @throws Error at the first answer that is not a success */
export async function load(url: string, next: NextCall, options: Options): Promise<Load> {
  const { connections, seconds = Infinity } = options;
  const clients = Array.from({ length: connections }, () => new Client(url, { pipelining: 1 }));
  const latencies: number[] = [];
  const before = performance.eventLoopUtilization();
  const start = performance.now();
  const end = start + seconds * 1000;
  try {
    await Promise.all(
      clients.map((client, connection) =>
        keepAsking(client, () => (performance.now() < end ? next(connection) : null), latencies),
      ),
    );
    return {
      requests: latencies.length,
      seconds: (performance.now() - start) / 1000,
      latencies: Float64Array.from(latencies).sort(),
      ownUtilization: performance.eventLoopUtilization(before).utilization,
    };
  } finally {
    await Promise.all(clients.map((client) => client.destroy()));
  }
}

/** Sends one request on a separate connection. @throws Error when the answer is not a success */
export async function askOnce(url: string, call: Call): Promise<void> {
  const calls = [call];
  await load(url, () => calls.pop() ?? null, { connections: 1 });
}

/** Callbacks rather than promises: the generator takes CPU time from the server that it measures. */
function keepAsking(client: Client, next: () => Call | null, latencies: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const ask = (): void => {
      const call = next();
      if (!call) return resolve();
      const { method, path, headers, body, done } = call;
      const sent = performance.now();
      let status = 0;
      const chunks: Buffer[] = [];
      const text = (): string => Buffer.concat(chunks).toString();
      client.dispatch(
        { method, path, headers, body },
        {
          onConnect: () => undefined,
          onHeaders(code) {
            status = code;
            return true;
          },
          onData(chunk) {
            chunks.push(chunk);
            return true;
          },
          onComplete() {
            if (status < 200 || status > 299)
              return reject(new Error(`${method} ${path} answered ${status}: ${text()}`));
            const took = performance.now() - sent;
            latencies.push(took);
            done?.(text(), took);
            ask();
          },
          onError: (error) => reject(new Error(`${method} ${path}: ${error.message}`)),
        },
      );
    };
    ask();
  });
}
