import { connect } from 'node:net';
import type { Answer } from './http';

/** The bytes that were received over one connection. */
export interface Conversation {
  readonly answers: readonly Answer[];
  /** Whether the service has closed the connection. */
  readonly closed: boolean;
}

interface Options {
  /** Milliseconds of silence after which an open connection is closed. */
  readonly silence?: number;
  /** Ends the sending side once everything is sent. */
  readonly end?: true;
}

/** Sends bytes over a connection of their own, as they are, and collects the answers until it is closed or silent. */
export function talk(
  origin: string,
  parts: readonly (string | Buffer)[],
  { silence = 2000, end }: Options = {},
): Promise<Conversation> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let received = Buffer.alloc(0);
    let timer = setTimeout(() => finish(false), 5 * silence);
    const finish = (closed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ answers: answersIn(received), closed });
    };
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      clearTimeout(timer);
      timer = setTimeout(() => finish(false), silence);
    });
    socket.on('close', () => finish(true));
    socket.on('error', () => undefined);
    for (const part of parts) socket.write(part);
    if (end) socket.end();
  });
}

/** The answers in what was received, one after the other, interim ones left out. */
function answersIn(received: Buffer): Answer[] {
  const answers: Answer[] = [];
  let rest = received;
  for (;;) {
    const head = rest.indexOf('\r\n\r\n');
    if (head === -1) return answers;
    const [first = '', ...lines] = rest.subarray(0, head).toString('latin1').split('\r\n');
    const status = Number(first.split(' ')[1]);
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const length = Number(headers['content-length'] ?? 0);
    const bytes = rest.subarray(head + 4, head + 4 + length);
    if (status >= 200) answers.push({ status, headers, text: bytes.toString('utf8'), bytes });
    rest = rest.subarray(head + 4 + length);
  }
}
