/** Writes mails as files, for a service without a mail server. */
import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transport } from 'nodemailer';

/** The result of `sendMail`. */
export interface WrittenMail {
  readonly messageId: string;
  /** The absolute path of the file. */
  readonly file: string;
}

/**
 * A nodemailer transport that writes each mail to a file in the folder, readable by this user only, because it contains
 * tokens. The file name begins with the time, for sorting.
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
  // Whoever looks for `.eml` never reads half of one.
  const draft = `${file}.part`;
  try {
    await writeFile(draft, content, { mode: 0o600, flag: 'wx' });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return file;
}
