/** The texts of the panel in a language, in files of their own but for English. Strapi asks for all languages at its start. */
import en from './en.json';
import { labelsIn, valuesIn } from './labels';

type Texts = Readonly<Record<string, string>>;

interface Loaded {
  readonly texts: Texts;
  /** Of inputs, by the English ones, which are in the schemas of types. */
  readonly hints: Texts;
}

const LANGUAGES: Readonly<Record<string, () => Promise<Loaded>>> = {
  // Labels and hints are in the schemas in English.
  en: async () => {
    const catalog = await import('../../../../../public/locales/en/translation.json');
    return { texts: { ...valuesIn(catalog.default), ...en }, hints: {} };
  },
  es: async () => {
    const [own, hints, catalog] = await Promise.all([
      import('./es.json'),
      import('./hints.es.json'),
      import('../../../../../public/locales/es/translation.json'),
    ]);
    return loaded(own.default, hints.default, catalog.default);
  },
  fr: async () => {
    const [own, hints, catalog] = await Promise.all([
      import('./fr.json'),
      import('./hints.fr.json'),
      import('../../../../../public/locales/fr/translation.json'),
    ]);
    return loaded(own.default, hints.default, catalog.default);
  },
};

const loaded = (own: Texts, hints: Texts, catalog: Texts): Loaded => ({
  texts: { ...labelsIn(catalog), ...valuesIn(catalog), ...own },
  hints,
});

export const loadTexts = (language: string): Promise<Loaded> =>
  LANGUAGES[language]?.() ?? Promise.resolve({ texts: {}, hints: {} });
