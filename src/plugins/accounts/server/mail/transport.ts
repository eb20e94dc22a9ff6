/** How a mail leaves: through Strapi's email plugin, which `config/plugins.ts` sets up. */
import { join } from 'node:path';
import type { Core } from '@strapi/strapi';
import { defaultSender } from './compose';
import { fileTransport } from './file-transport';
import type { Mail } from './mail';

export interface Transport {
  /** @throws Error when the mail was not taken */
  send(mail: Mail): Promise<void>;
}

/** What a silent server may cost, in milliseconds; SMTP_URL may say otherwise (`?socketTimeout=60000`). */
const TIMEOUTS = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
};

/** What of the operator's decisions concerns mails. */
interface MailEnvironment {
  /** The mail server; without one, mails become files in the data directory. */
  readonly smtpUrl: string | null;
  readonly dataDir: string;
  readonly publicUrl: string;
}

/** The configuration of the email plugin. Without SMTP_URL, all mails of the app become files. */
export function emailPlugin({ smtpUrl, dataDir, publicUrl }: MailEnvironment) {
  return {
    provider: 'nodemailer',
    providerOptions:
      smtpUrl === null ? fileTransport(join(dataDir, 'mail')) : { url: withTimeouts(smtpUrl) },
    settings: { defaultFrom: defaultSender(publicUrl) },
    // The panel's form for a forgotten password is counted like the API's, in the database.
    ratelimit: { enabled: false },
  };
}

/** Beside a `url`, nodemailer takes no other option. */
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

/** Sends by the email plugin of a running Strapi. @param log is told of a mail that became a file */
export function pluginTransport(
  strapi: Core.Strapi,
  log: { info(message: string): void },
): Transport {
  const service = strapi.plugin('email').service<EmailService>('email');
  return {
    async send(mail) {
      const sent = await service.send(mail);
      if (typeof sent === 'object' && sent !== null && 'file' in sent)
        log.info(`mail: SMTP_URL is empty; written to ${String(sent.file)}`);
    },
  };
}
