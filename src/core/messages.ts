/**
 * The texts of the message catalogue, for those who read them here: the panel, and pages of the service's own. The
 * frontend reads `public/locales/{lng}/translation.json` itself.
 */
import { createInstance, type i18n } from 'i18next';
import en from '../../public/locales/en/translation.json';
import es from '../../public/locales/es/translation.json';
import fr from '../../public/locales/fr/translation.json';
import { KEY_PREFIX, type ApiError, type Args, type Issue } from './errors';

const RESOURCES = { en, es, fr };

/** What there are texts in. */
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

/** The text of a key in a language, with its arguments in it; English where the language has none. */
export type Catalog = (
  key: string,
  args: Args,
  lng: Language,
  options: {
    /** Whether arguments must not be taken for markup. */
    readonly escapeValue: boolean;
  },
) => string;

/** A catalogue of texts by their keys; made ready when it is first asked. */
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

/** The text of a message key, with its arguments in it. */
export const messageText = (key: string, args: Args, lng: Language = 'en'): string =>
  textOfKey(key, args, lng, { escapeValue: false });

/** The text of a refusal, or of a fault. */
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
 * The text of each field that has a fault, at the input where it is shown.
 *
 * @param inputs by the fields of the wire, where they have other names
 */
export function faultsAt(
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
