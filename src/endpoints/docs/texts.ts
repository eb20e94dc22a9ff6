/** The texts of the message catalogue in all languages, as a page. */
import en from '../../../public/locales/en/translation.json';
import es from '../../../public/locales/es/translation.json';
import fr from '../../../public/locales/fr/translation.json';
import { ERRORS, KEY_PREFIX } from '../../core/errors';
import { escaped } from '../../plugins/wire/server/pages/frame';
import { code, tableHtml } from './schema';

type Texts = Readonly<Record<string, string>>;
const [ENGLISH, SPANISH, FRENCH]: readonly Texts[] = [en, es, fr];

const STATUSES = new Map(
  Object.entries(ERRORS).map(([key, { status }]) => [KEY_PREFIX + key, String(status)]),
);

/** The sections, each with the keys that begin so. */
const SECTIONS: readonly (readonly [id: string, title: string, about: string, keys: RegExp])[] = [
  [
    'messages',
    'Messages',
    'What an answer says in <code>message</code> and in <code>response.invalid</code>. In a text <code>{{name}}</code> stands for an argument, and <code>$t(KEY)</code> for another text: i18next reads both as they are.',
    /^API_RESPONSE_/,
  ],
  ['tokens', 'Arguments', 'What is named in arguments.', /^(?:EXPECTED|TYPE)_/],
  [
    'labels',
    'Labels of fields and values',
    '<code>FIELD_&lt;type&gt;_&lt;field&gt;</code> and <code>VALUE_&lt;type&gt;_&lt;field&gt;_&lt;value&gt;</code>: what is no letter or digit is <code>_</code>. A form needs no table of its own.',
    /^(?:FIELD|VALUE)_/,
  ],
];

/** All keys with their texts. */
export const textsHtml = (): string =>
  `<p>The texts are in <code>/locales/en/translation.json</code>, <code>/locales/es/translation.json</code> and <code>/locales/fr/translation.json</code>, which any origin may read.</p>
${SECTIONS.map(([id, title, about, keys]) => `<h2 id="${id}">${title}</h2><p>${about}</p>${tableOf(keys)}`).join('\n')}`;

function tableOf(keys: RegExp): string {
  const hasStatus = keys.test(KEY_PREFIX);
  const rows = Object.keys(ENGLISH ?? {})
    .filter((key) => keys.test(key))
    .map((key) => [
      `<span id="${key}">${code(key)}</span>`,
      ...(hasStatus ? [STATUSES.get(key) ?? ''] : []),
      ...[ENGLISH, SPANISH, FRENCH].map((texts) => escaped(texts?.[key] ?? '')),
    ]);
  const languages = ['English', 'español', 'français'];
  return tableHtml(['Key', ...(hasStatus ? ['Status'] : []), ...languages], rows);
}
