import { Client, type ClientConfig } from 'pg';

/** Milliseconds after which a lost connection is opened again. */
const AGAIN = 1000;

/** A connection that only listens to one channel, and reconnects when it is lost. */
export class ChannelListener {
  private client: Client | null = null;
  private timer: NodeJS.Timeout | null = null;
  private isClosed = false;

  constructor(
    private readonly config: ClientConfig,
    private readonly channel: string,
    private readonly hear: (text: string) => void,
  ) {
    void this.connect();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    if (this.timer) clearTimeout(this.timer);
    await this.client?.end().catch(() => undefined);
  }

  private async connect(): Promise<void> {
    const client = new Client({ ...this.config, keepAlive: true });
    this.client = client;
    client.on('notification', ({ payload }) => this.hear(payload ?? ''));
    client.on('error', () => undefined); // `end` follows
    client.once('end', () => this.later());
    try {
      await client.connect();
      await client.query(`listen ${this.channel}`);
    } catch {
      await client.end().catch(() => undefined);
      this.later();
    }
  }

  private later(): void {
    if (this.isClosed || this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      void this.connect();
    }, AGAIN).unref();
  }
}
