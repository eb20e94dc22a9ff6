/** Composes mails. */
import { isIP } from 'node:net';
import type { Args } from '../../../../core/errors';
import { createCatalog, languageOf, localizedIn, type Language } from '../../../../core/messages';
import type { LocalizedText } from '../../../objects/server/site/settings';
import { LIFETIMES } from '../tokens/tokens';
import { linkOf, type LinkSettings, type MailToken } from './link';
import type { MailKind } from './outbox';
import en from './texts/en.json';
import es from './texts/es.json';
import fr from './texts/fr.json';

export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

/** A mail as the email plugin passes it to nodemailer. */
export interface Mail {
  readonly from: MailAddress;
  readonly to: MailAddress;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The name of an instance without one, in mails. */
const SERVICE_NAME = 'Object Management Service';

/** The site settings for mails. */
export interface MailSettings extends LinkSettings {
  /** The sender's address, without a name. */
  readonly mailFrom: string | null;
  /** By language; null for that of the service. */
  readonly siteName: LocalizedText | null;
  /** BCP 47. */
  readonly defaultLanguage: string;
}

/** The recipient of a mail. */
export interface Recipient {
  /** The address of the account. */
  readonly id: string;
  readonly email: string;
  /** BCP 47; null for the site's language. */
  readonly language: string | null;
  readonly name: string;
}

/** A paragraph of a mail: a key below its kind, with arguments. Dates are milliseconds since 1970. */
export interface Paragraph {
  readonly key: string;
  readonly args: Args;
}

export interface Content {
  /** Null for kinds without one. */
  readonly token: MailToken | null;
  /** What it tells, where that differs from mail to mail. */
  readonly paragraphs?: readonly Paragraph[];
}

/** @param kind which mail */
export function compose(
  kind: MailKind,
  recipient: Recipient,
  content: Content,
  settings: MailSettings,
): Mail {
  const { token } = content;
  const language = languageOf(recipient.language, settings.defaultLanguage);
  const site = localizedIn(settings.siteName, language, settings.defaultLanguage) ?? SERVICE_NAME;
  const parts = { kind, name: greetable(recipient.name), site: oneLine(site) };
  const link = token && linkOf(token, settings, language);
  const text = paragraphs(parts, content, language, 'text');
  const html = paragraphs(parts, content, language, 'html');
  return {
    from: { name: parts.site, address: settings.mailFrom ?? defaultSender(settings.publicUrl) },
    // Without the name, which would be untrusted text in a header.
    to: { name: '', address: recipient.email },
    subject: translator(language, 'text')(`${kind}.subject`, { site: parts.site }),
    text: [...text.before, ...(link === null ? [] : [link]), ...text.after].join('\n\n') + '\n',
    html: page(language, [
      ...html.before,
      ...(link === null ? [] : [`<a href="${escaped(link)}">${html.action}</a>`]),
      ...html.after,
    ]),
    // RFC 3834: prevents automatic replies.
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

/** The default sender. An IP address as host is written as in RFC 5321, section 4.1.3. */
export function defaultSender(publicUrl: string): string {
  const host = new URL(publicUrl).hostname;
  if (host.startsWith('[')) return `no-reply@[IPv6:${host.slice(1)}`;
  return isIP(host) === 0 ? `no-reply@${host}` : `no-reply@[${host}]`;
}

interface Parts {
  readonly kind: MailKind;
  /** Null when the name must not be shown. */
  readonly name: string | null;
  readonly site: string;
}

/** The paragraphs before and after the link. */
function paragraphs({ kind, name, site }: Parts, content: Content, lng: Language, as: Form) {
  const { token, paragraphs: told = [] } = content;
  const t = translator(lng, as);
  return {
    before: [
      name === null ? t('greeting_nameless') : t('greeting', { name }),
      t(`${kind}.reason`, { site }),
      ...told.map(({ key, args }) => t(`${kind}.${key}`, args)),
    ],
    action: token && t(`${kind}.action`),
    after: [
      ...(token ? [t('validity', { lifetime: duration(LIFETIMES[token.kind], lng) })] : []),
      t(`${kind}.otherwise`, { site }),
    ],
  };
}

const HOUR = 60 * 60 * 1000;

/** Such as `1 hour` or `7 días`. */
function duration(milliseconds: number, language: Language): string {
  const hours = milliseconds / HOUR;
  const [count, unit] = hours < 24 ? [hours, 'hour'] : [hours / 24, 'day'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(
    count,
  );
}

/** Removes line ends and characters that change the direction of the following text. */
const oneLine = (text: string): string =>
  text.replace(/[\s\p{Cc}\p{Cs}\p{Bidi_Control}]+/gu, ' ').trim();

/** Text that a mail program would turn into a link. */
const LINKLIKE = /[/:@\\]|[\p{L}\d]\.\p{L}{2,}/u;

/**
 * The name in the greeting. Anybody can register any address with any name, so that a name with a link could be used
 * for spam.
 */
function greetable(name: string): string | null {
  const shown = oneLine(name);
  return shown === '' || LINKLIKE.test(shown.replace(/\p{Cf}/gu, '')) ? null : shown;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);

const page = (language: Language, content: readonly string[]): string =>
  `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"></head>
<body style="font-family: sans-serif; line-height: 1.5; max-width: 36em">
${content.map((paragraph) => `<p>${paragraph}</p>`).join('\n')}
</body>
</html>
`;

/** The text of a key with its arguments. */
type Translate = (key: string, args?: Args) => string;

/** Whether arguments are inserted as they are (`text`) or escaped (`html`). */
type Form = 'text' | 'html';

const textOf = createCatalog({ en, es, fr });

const translator =
  (lng: Language, form: Form): Translate =>
  (key, args = {}) =>
    textOf(key, args, lng, { escapeValue: form === 'html' });
