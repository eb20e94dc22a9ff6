/**
 * The texts of the message catalogue, for the panel and the service's own pages. The frontend reads
 * `public/locales/{lng}/translation.json` itself.
 */
import { createInstance, type i18n } from 'i18next';
import en from '../../public/locales/en/translation.json';
import es from '../../public/locales/es/translation.json';
import fr from '../../public/locales/fr/translation.json';
import { KEY_PREFIX, type ApiError, type Args, type Issue } from './errors';

const RESOURCES = { en, es, fr };

/** The languages of the catalogue. */
export type Language = keyof typeof RESOURCES;

const isLanguage = (tag: string): tag is Language => Object.hasOwn(RESOURCES, tag);

/** The first of the wanted languages (BCP 47) that the catalogue has, else English: `es-MX` gives Spanish. */
export function languageOf(...wanted: readonly (string | null)[]): Language {
  const tags = wanted.map((tag) => tag?.toLowerCase().split('-')[0] ?? '');
  return tags.find(isLanguage) ?? 'en';
}

/** The text of a key with its arguments; in English where the language has no text. */
export type Catalog = (
  key: string,
  args: Args,
  lng: Language,
  options: {
    /** Whether arguments are escaped as HTML. */
    readonly escapeValue: boolean;
  },
) => string;

/** A catalogue of texts by key, loaded at the first use. */
export function createCatalog(texts: Readonly<Record<Language, object>>): Catalog {
  let catalog: i18n | null = null;
  return (key, args, lng, interpolation) => {
    if (!catalog) {
      catalog = createInstance({
        fallbackLng: 'en',
        resources: Object.fromEntries(
          Object.entries(texts).map(([language, translation]) => [language, { translation }]),
        ),
        initAsync: false,
        showSupportNotice: false,
      });
      void catalog.init();
    }
    return catalog.t(key, { ...args, lng, interpolation });
  };
}

const textOfKey = createCatalog(RESOURCES);

/** The text of a message key with its arguments. */
export const messageText = (key: string, args: Args, lng: Language = 'en'): string =>
  textOfKey(key, args, lng, { escapeValue: false });

/** The text of a refusal or an issue. */
export const textOf = ({ key, args }: ApiError | Issue, language: Language = 'en'): string =>
  messageText(`${KEY_PREFIX}${key}`, args, language);

/**
 * The text of a localized one (BCP 47 tags to texts) in the first of the wanted languages that it has, else in any that it
 * has; null where it has none.
 */
export function localizedIn(
  texts: Readonly<Record<string, string>> | null,
  ...wanted: readonly string[]
): string | null {
  const tags = wanted.flatMap((tag) => [tag, tag.split('-')[0] ?? '']);
  const found = tags.find((tag) => texts?.[tag] !== undefined);
  return texts?.[found ?? Object.keys(texts)[0] ?? ''] ?? null;
}

/**
 * The text of each invalid field, by the input that shows it.
 *
 * @param inputs the names of inputs by the field's name on the wire, where they differ
 */
export function textsAtInputs(
  inputs: Readonly<Record<string, string>>,
  invalid: readonly Issue[],
  language: Language = 'en',
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const fault of invalid) {
    const name = fault.path.split('.')[0] ?? '';
    found[inputs[name] ?? name] ??= textOf(fault, language);
  }
  return found;
}
