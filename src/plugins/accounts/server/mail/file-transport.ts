/** Mails as files, for a service that has no mail server yet. */
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transport } from 'nodemailer';

/** What `sendMail` answers with. */
export interface WrittenMail {
  readonly messageId: string;
  /** Absolute. */
  readonly file: string;
}

/**
 * A transport of nodemailer that writes each mail into a file of the folder, for this user alone:
 * it holds tokens. Its name begins with the time, so that the folder lists them in order.
 */
export function fileTransport(folder: string): Transport<WrittenMail | null> {
  return {
    name: 'file',
    version: '1',
    send(mail, done) {
      const { message } = mail;
      message.build((error, content) => {
        if (error) return done(error, null);
        write(folder, content).then(
          (file) => done(null, { messageId: message.messageId(), file }),
          (failure: Error) => done(failure, null),
        );
      });
    },
  };
}

async function write(folder: string, content: Buffer): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const time = new Date().toISOString().replace(/[-:.]/g, '');
  const file = join(folder, `${time}-${randomBytes(4).toString('hex')}.eml`);
  await writeFile(file, content, { mode: 0o600, flag: 'wx' });
  return file;
}
