/** The texts of the mails. */
import { createInstance, type i18n } from 'i18next';
import en from './texts/en.json';
import es from './texts/es.json';
import fr from './texts/fr.json';

const RESOURCES = { en, es, fr };

export type Language = keyof typeof RESOURCES;

const isLanguage = (tag: string): tag is Language => Object.hasOwn(RESOURCES, tag);

/**
 * The first of the wanted languages (BCP 47) that there are texts in, English when there is none:
 * `es-MX` is Spanish.
 */
export function languageOf(...wanted: readonly (string | null)[]): Language {
  const tags = wanted.map((tag) => tag?.toLowerCase().split('-')[0] ?? '');
  return tags.find(isLanguage) ?? 'en';
}

/** The text of a key, with its arguments in it. */
export type Translate = (key: string, args?: Readonly<Record<string, string>>) => string;

/** Whether arguments may be anything (`text`), or must not be taken for markup (`html`). */
export type Form = 'text' | 'html';

let catalog: i18n | null = null;

function texts(): i18n {
  if (catalog) return catalog;
  catalog = createInstance({
    fallbackLng: 'en',
    resources: Object.fromEntries(
      Object.entries(RESOURCES).map(([language, translation]) => [language, { translation }]),
    ),
    initAsync: false,
    showSupportNotice: false,
  });
  void catalog.init();
  return catalog;
}

export const translator =
  (lng: Language, form: Form): Translate =>
  (key, args) =>
    texts().t(key, { ...args, lng, interpolation: { escapeValue: form === 'html' } });
