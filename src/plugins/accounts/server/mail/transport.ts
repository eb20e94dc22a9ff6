/** Sends mails with Strapi's email plugin, which `config/plugins.ts` configures. */
import { join } from 'node:path';
import type { Core } from '@strapi/strapi';
import { defaultSender, type Mail } from './compose';
import { fileTransport } from './file-transport';

/** What has become of a mail: without a mail server it is a file. */
export type Delivery = 'sent' | 'file';

export interface Transport {
  /** @throws Error when the mail was not accepted */
  send(mail: Mail): Promise<Delivery>;
}

/** Timeouts in milliseconds; SMTP_URL may set others (`?socketTimeout=60000`). */
const TIMEOUTS = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
};

/** The operator's settings for mails. */
interface MailEnvironment {
  /** The mail server; without one, mails are written as files in the data directory. */
  readonly smtpUrl: string | null;
  readonly dataDir: string;
  readonly publicUrl: string;
}

/** The configuration of the email plugin. Without SMTP_URL, all mails are written as files. */
export function emailPlugin({ smtpUrl, dataDir, publicUrl }: MailEnvironment) {
  return {
    provider: 'nodemailer',
    providerOptions:
      smtpUrl === null ? fileTransport(join(dataDir, 'mail')) : { url: withTimeouts(smtpUrl) },
    settings: { defaultFrom: defaultSender(publicUrl) },
    // The panel's form for a forgotten password has the same limits as the API, in the database.
    ratelimit: { enabled: false },
  };
}

/** With a `url`, nodemailer ignores all other options. */
function withTimeouts(smtpUrl: string): string {
  const url = new URL(smtpUrl);
  for (const [name, milliseconds] of Object.entries(TIMEOUTS)) {
    if (!url.searchParams.has(name)) url.searchParams.set(name, String(milliseconds));
  }
  return url.href;
}

interface EmailService {
  send(mail: Mail): Promise<unknown>;
}

/**
 * Sends with the email plugin of a running Strapi. @param log receives a line for each mail that is written as a file
 */
export function pluginTransport(
  strapi: Core.Strapi,
  log: { info(message: string): void },
): Transport {
  const service = strapi.plugin('email').service<EmailService>('email');
  return {
    async send(mail) {
      const sent = await service.send(mail);
      if (typeof sent !== 'object' || sent === null || !('file' in sent)) return 'sent';
      log.info(`mail: SMTP_URL is empty; written to ${String(sent.file)}`);
      return 'file';
    },
  };
}
