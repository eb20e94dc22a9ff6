import { compose, defaultSender, type MailSettings, type Recipient } from './compose';
import type { MailKind } from './outbox';
import { languageOf } from '../../../../core/messages';
import en from './texts/en.json';
import es from './texts/es.json';
import fr from './texts/fr.json';

const SETTINGS: MailSettings = {
  frontendUrl: 'https://wildlife.example.org/app',
  publicUrl: 'https://oms.example.org',
  mailFrom: null,
  siteName: { en: 'Otters & Co' },
  defaultLanguage: 'fr',
};

const ANA: Recipient = {
  id: 'a0000000-0000-4000-8000-000000000001',
  email: 'ana@example.org',
  language: 'en',
  name: 'Ana',
};

const TOKEN = { kind: 'reset', secret: 's3cret_-' } as const;

const mailTo = (recipient: Partial<Recipient>, settings: Partial<MailSettings> = {}) =>
  compose('reset', { ...ANA, ...recipient }, { token: TOKEN }, { ...SETTINGS, ...settings });

test('a mail says in text and HTML what it is about, and leads to the frontend', () => {
  const link = 'https://wildlife.example.org/app/reset#token=s3cret_-';
  const mail = mailTo({});
  expect(mail.text).toBe(`Hello Ana,

Somebody, probably you, asked for a new password for your account at Otters & Co. You can choose one here:

${link}

The link works once, and for 1 hour.

If that was not you, you need not do anything: your password stays as it is.
`);
  expect(mail.html).toContain(`<p><a href="${link}">Choose a new password</a></p>`);
  expect(mail.html).toContain('for your account at Otters &amp; Co.');
  expect(mail).toMatchObject({
    from: { name: 'Otters & Co', address: 'no-reply@oms.example.org' },
    to: { name: '', address: 'ana@example.org' },
    subject: 'Otters & Co: choose a new password',
    headers: { 'Auto-Submitted': 'auto-generated' },
  });
});

test('without a frontend it leads to a page of the service, in the language of the mail', () => {
  const link = 'https://oms.example.org/account/reset?token=s3cret_-&lng=es';
  const mail = mailTo({ language: 'es-MX' }, { frontendUrl: null });
  expect(mail.text).toContain(`\n${link}\n`);
  expect(mail.html).toContain(`<a href="${link.replace('&', '&amp;')}">`);
});

test('a notice has no link', () => {
  const mail = compose('password_changed', ANA, { token: null }, SETTINGS);
  expect(mail.text + mail.html).not.toMatch(/http|href|undefined|null/);
});

test('the site may name a sender', () => {
  expect(mailTo({}, { mailFrom: 'otters@example.org' }).from.address).toBe('otters@example.org');
});

test.each([
  ['https://oms.example.org', 'no-reply@oms.example.org'],
  ['http://localhost:1337', 'no-reply@localhost'],
  ['http://192.0.2.1:1337', 'no-reply@[192.0.2.1]'],
  ['http://[2001:db8::1]', 'no-reply@[IPv6:2001:db8::1]'],
])('the default sender of %s is %s', (url, sender) => {
  expect(defaultSender(url)).toBe(sender);
});

test.each([
  [['es-MX', 'fr'], 'es'],
  [['ES', 'fr'], 'es'],
  [['de', 'fr-CA'], 'fr'],
  [[null, 'fr'], 'fr'],
  [['de', 'pt'], 'en'],
  [['__proto__', 'constructor'], 'en'],
] as const)('the language of a mail, of %j, is %s', (wanted, language) => {
  expect(languageOf(...wanted)).toBe(language);
});

test('the duration is in the language, too', () => {
  const verify = compose(
    'verify',
    { ...ANA, language: 'es' },
    { token: { ...TOKEN, kind: 'verify' } },
    SETTINGS,
  );
  expect(verify.text).toContain('durante 7 días');
});

describe('what users and operators call themselves', () => {
  test('is no markup', () => {
    const name = `<b onclick="x">'Ana' & "co"`;
    const { html } = mailTo({ name }, { siteName: { en: '<i>Otters</i>' } });
    expect(html).toContain('&lt;b onclick=&quot;x&quot;&gt;');
    expect(html).not.toMatch(/<b |<i>/);
  });

  test('is no template', () => {
    const mail = mailTo(
      { name: '{{site}} $t(validity)' },
      { siteName: { en: '{{name}} $t(greeting)' } },
    );
    expect(mail.text).toContain('Hello {{site}} $t(validity),');
    expect(mail.subject).toBe('{{name}} $t(greeting): choose a new password');
  });

  test('is on one line', () => {
    const mail = mailTo(
      { name: 'Ana\n\nBuy now' },
      { siteName: { en: 'Otters\r\nBcc: all\u2028x' } },
    );
    expect(mail.text).toContain('Hello Ana Buy now,\n');
    expect(mailTo({ name: 'Ana\u202e' }).text).toContain('Hello Ana,\n');
    expect(mail.subject).toBe('Otters Bcc: all x: choose a new password');
    expect(mail.from.name).toBe('Otters Bcc: all x');
  });

  test.each(['Win at evil.com', 'https://evil', 'a@b', 'evil\u200b.com', 'x\\y', ' \t'])(
    'is left out when a mail program would make a link of it: %j',
    (name) => {
      const mail = mailTo({ name });
      expect(mail.text).toMatch(/^Hello,\n/);
      expect(mail.html).toContain('<p>Hello,</p>');
    },
  );

  test.each([
    'می\u200cخواهم',
    'J. R. R. Tolkien',
    'J.R.R. Tolkien',
    'Nguyễn Văn Á',
    'O’Neil',
    '李 小龙',
  ])('is there otherwise: %s', (name) => {
    expect(mailTo({ name }).text).toContain(`Hello ${name},\n`);
  });
});

describe('the texts', () => {
  const flat = (texts: object, path = ''): [string, string][] =>
    Object.entries(texts).flatMap(([key, value]: [string, unknown]) =>
      typeof value === 'string'
        ? [[path + key, (value.match(/\{\{.+?\}\}/g) ?? []).sort().join()]]
        : flat(value as object, `${path}${key}.`),
    );

  test.each([
    ['es', es],
    ['fr', fr],
  ])('have the same keys and places in %s as in English', (_, texts) => {
    expect(flat(texts)).toEqual(flat(en));
  });

  test('are there for every kind', () => {
    const kinds: Record<MailKind, boolean> = {
      verify: true,
      reset: true,
      invite: true,
      address_changed: false,
      password_changed: false,
      decision: false,
      test: false,
    };
    for (const [kind, hasLink] of Object.entries(kinds))
      expect(flat(en).map(([key]) => key)).toEqual(
        expect.arrayContaining(
          ['subject', 'reason', 'otherwise', ...(hasLink ? ['action'] : [])].map(
            (part) => `${kind}.${part}`,
          ),
        ),
      );
  });
});
