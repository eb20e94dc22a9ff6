/** The texts of the panel in a language, in files of their own but for English. Strapi asks for all languages at its start. */
import en from './en.json';
import { labelsIn } from './labels';

type Texts = Readonly<Record<string, string>>;

interface Loaded {
  readonly texts: Texts;
  /** Of inputs, by the English ones, which are in the schemas of types. */
  readonly hints: Texts;
}

const FURTHER: Readonly<Record<string, () => Promise<Loaded>>> = {
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
  texts: { ...labelsIn(catalog), ...own },
  hints,
});

/** The labels of inputs and columns are in the schemas in English. */
export const loadTexts = (language: string): Promise<Loaded> =>
  FURTHER[language]?.() ?? Promise.resolve({ texts: language === 'en' ? en : {}, hints: {} });
