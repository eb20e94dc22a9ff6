import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The bytes that one connection has received. */
interface Member {
  readonly socket: Socket;
  /** A character per byte. */
  received: string;
  isClosed: boolean;
}

/** How often each status was answered; `none` for a connection that was closed before an answer. */
export type Tally = Readonly<Record<string, number>>;

/** Many connections to one service, driven byte by byte. */
export class Crowd {
  private constructor(private readonly members: readonly Member[]) {}

  /** Opens so many connections. @param isReading whether they take what they are sent */
  static async of(url: string, size: number, isReading = true): Promise<Crowd> {
    const { hostname, port } = new URL(url);
    const members = Array.from({ length: size }, (): Member => {
      const socket = connect({ port: Number(port), host: hostname, noDelay: true });
      const member: Member = { socket, received: '', isClosed: false };
      socket.on('error', () => undefined);
      socket.on('close', () => (member.isClosed = true));
      if (isReading)
        socket.on('data', (chunk: Buffer) => (member.received += chunk.toString('latin1')));
      else socket.pause();
      return member;
    });
    const crowd = new Crowd(members);
    await crowd.until(({ socket, isClosed }) => !socket.connecting || isClosed, 20_000);
    return crowd;
  }

  /** Sends the same bytes over each connection, and waits for no answer. */
  send(bytes: string | Buffer): void {
    for (const { socket } of this.members) socket.write(bytes);
  }

  /** Sends one request over each connection, all at once, and waits for the answers. */
  async ask(bytes: string | Buffer, limit = 60_000): Promise<Tally> {
    for (const member of this.members) member.received = '';
    this.send(bytes);
    await this.until((member) => statusOf(member) !== null || member.isClosed, limit);
    return this.tally();
  }

  /** The status of each connection's first answer. */
  tally(): Tally {
    const tally: Record<string, number> = {};
    for (const member of this.members) {
      const status = statusOf(member) ?? 'none';
      tally[status] = (tally[status] ?? 0) + 1;
    }
    return tally;
  }

  /** Refusals of an overload without `Retry-After`, or outside the envelope. */
  bareRefusals(): string[] {
    return this.members
      .map(({ received }) => received)
      .filter((text) => /^HTTP\/1.1 (429|503) /.test(text))
      .filter((text) => !/\r\nRetry-After: \d+\r\n/.test(text) || !text.includes('"API_RESPONSE_'));
  }

  get closed(): number {
    return this.members.filter(({ isClosed }) => isClosed).length;
  }

  /** From now on the connections read and discard. @returns how many the service has closed */
  async read(limit: number): Promise<number> {
    for (const { socket } of this.members) socket.resume();
    await this.until(({ isClosed }) => isClosed, limit);
    return this.closed;
  }

  end(): void {
    for (const { socket } of this.members) socket.destroy();
  }

  private async until(holds: (member: Member) => boolean, limit: number): Promise<void> {
    const started = Date.now();
    while (!this.members.every(holds) && Date.now() - started < limit) await sleep(20);
  }
}

/** The status of the first answer, once all of its head and its body are there. */
function statusOf({ received }: Member): string | null {
  const head = received.indexOf('\r\n\r\n');
  if (head === -1) return null;
  const length = Number(/\r\nContent-Length: (\d+)\r\n/i.exec(received)?.[1] ?? 0);
  return received.length - head - 4 < length ? null : received.slice(9, 12);
}
