/** Puts a mail together. */
import { isIP } from 'node:net';
import { languageOf, localizedIn, type Language } from '../../../../core/messages';
import type { LocalizedText } from '../../../objects/server/site';
import { LIFETIMES } from '../tokens/tokens';
import { linkOf, type LinkSettings, type MailToken } from './link';
import type { MailKind } from './outbox';
import { translator, type Form } from './texts';
import type { Mail } from './mail';

/** What mails call an instance that has no name. */
const SERVICE_NAME = 'Object Management Service';

/** What the site decides about its mails. */
export interface MailSettings extends LinkSettings {
  /** The sender's address, without a name. */
  readonly mailFrom: string | null;
  /** By language; null for that of the service. */
  readonly siteName: LocalizedText | null;
  /** BCP 47. */
  readonly defaultLanguage: string;
}

/** Whom a mail goes to. */
export interface Recipient {
  /** Of the account. */
  readonly id: string;
  readonly email: string;
  /** BCP 47; null is the site's. */
  readonly language: string | null;
  readonly name: string;
}

/**
 * @param kind which mail
 * @param token for kinds that have one
 */
export function compose(
  kind: MailKind,
  recipient: Recipient,
  token: MailToken | null,
  settings: MailSettings,
): Mail {
  const language = languageOf(recipient.language, settings.defaultLanguage);
  const site = localizedIn(settings.siteName, language, settings.defaultLanguage) ?? SERVICE_NAME;
  const parts = { kind, name: greetable(recipient.name), site: oneLine(site) };
  const link = token && linkOf(token, settings, language);
  const text = paragraphs(parts, token, language, 'text');
  const html = paragraphs(parts, token, language, 'html');
  return {
    from: { name: parts.site, address: settings.mailFrom ?? defaultSender(settings.publicUrl) },
    // The address alone: a name would be one more text of a stranger's in a header.
    to: { name: '', address: recipient.email },
    subject: translator(language, 'text')(`${kind}.subject`, { site: parts.site }),
    text: [...text.before, ...(link === null ? [] : [link]), ...text.after].join('\n\n') + '\n',
    html: page(language, [
      ...html.before,
      ...(link === null ? [] : [`<a href="${escaped(link)}">${html.action}</a>`]),
      ...html.after,
    ]),
    // RFC 3834: nobody's absence is answered to it.
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

/** The sender when the site names none. A host that is an address is written as RFC 5321 4.1.3 has it. */
export function defaultSender(publicUrl: string): string {
  const host = new URL(publicUrl).hostname;
  if (host.startsWith('[')) return `no-reply@[IPv6:${host.slice(1)}`;
  return isIP(host) === 0 ? `no-reply@${host}` : `no-reply@[${host}]`;
}

interface Parts {
  readonly kind: MailKind;
  /** Null when it must not be shown. */
  readonly name: string | null;
  readonly site: string;
}

/** The paragraphs before and after the link. */
function paragraphs({ kind, name, site }: Parts, token: MailToken | null, lng: Language, as: Form) {
  const t = translator(lng, as);
  return {
    before: [
      name === null ? t('greeting_nameless') : t('greeting', { name }),
      t(`${kind}.reason`, { site }),
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

/** Without line ends, and without what turns the direction of the text that follows. */
const oneLine = (text: string): string =>
  text.replace(/[\s\p{Cc}\p{Cs}\p{Bidi_Control}]+/gu, ' ').trim();

/** What a mail program would make a link of. */
const LINKLIKE = /[/:@\\]|[\p{L}\d]\.\p{L}{2,}/u;

/**
 * A name to greet with. Anybody can register anybody's address under any name: one that holds a link
 * would be a stranger's advertisement in a mail of ours.
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
