import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';

/** A mail as the server got it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** By names in lower case, encoded words decoded. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly html: string;
}

/** A real SMTP server that keeps what it gets. */
export interface MailServer {
  readonly url: string;
  readonly received: ReceivedMail[];
  /** What it answers to a recipient instead of yes. */
  refusal: string | null;
  /** Opens again on its port, after `stop`. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  let server: SMTPServer | null = null;
  let port = 0;
  const mails: MailServer = {
    received: [],
    refusal: null,
    get url() {
      return `smtp://127.0.0.1:${port}`;
    },
    async start() {
      if (server) return;
      server = listener(mails);
      server.listen(port, '127.0.0.1');
      await once(server.server, 'listening');
      ({ port } = server.server.address() as AddressInfo);
    },
    async stop() {
      const stopping = server;
      server = null;
      await new Promise<void>((resolve) => (stopping ? stopping.close(resolve) : resolve()));
    },
  };
  await mails.start();
  return mails;
}

const listener = (mails: MailServer): SMTPServer =>
  new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onRcptTo({ address }, _session, done) {
      const { refusal } = mails;
      done(
        refusal === null
          ? null
          : Object.assign(new Error(`${refusal} ${address}`), { responseCode: 550 }),
      );
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        mails.received.push({
          from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          ...readMail(Buffer.concat(chunks).toString('latin1')),
        });
        done();
      });
    },
  });

/** The mails that a service without a mail server has written, each a file, bytes as one character each; the oldest first. */
export async function writtenMails(dataDir: string): Promise<string[]> {
  const folder = join(dataDir, 'mail');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
  return Promise.all(names.sort().map((name) => readFile(join(folder, name), 'latin1')));
}

/** Reads a mail of a text and an HTML part (RFC 5322, 2045, 2047). @param raw bytes, one character each */
export function readMail(raw: string): Pick<ReceivedMail, 'headers' | 'text' | 'html'> {
  const { headers, body } = split(raw);
  const boundary = /boundary="(.+)"/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => split(part.replace(/^\r\n/, '')));
  const part = (type: string): string => {
    const found = parts.filter((each) => each.headers['content-type']?.startsWith(type));
    if (!found[0] || found.length > 1)
      throw new Error(`a mail has ${found.length} parts of ${type}`);
    return decoded(found[0]).replace(/\r\n/g, '\n');
  };
  return { headers, text: part('text/plain'), html: part('text/html') };
}

interface Part {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function split(raw: string): Part {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), words(line.slice(colon + 1).trim())];
  });
  return { headers: Object.fromEntries(headers) as Part['headers'], body: raw.slice(end + 4) };
}

function decoded({ headers, body }: Part): string {
  const encoding = headers['content-transfer-encoding'];
  if (encoding === 'quoted-printable') return quoted(body.replace(/=\r\n/g, ''));
  return Buffer.from(body, encoding === 'base64' ? 'base64' : 'latin1').toString('utf8');
}

const quoted = (text: string): string =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');

/** Encoded words; the space between two of them is none. */
const words = (value: string): string =>
  value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?(.*?)\?=/gi, (_, kind: string, text: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(text, 'base64').toString('utf8')
        : quoted(text.replace(/_/g, ' ')),
    );
