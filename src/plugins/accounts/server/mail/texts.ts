/** The texts of the mails. */
import { createCatalog, type Language } from '../../../../core/messages';
import en from './texts/en.json';
import es from './texts/es.json';
import fr from './texts/fr.json';

/** The text of a key, with its arguments in it. */
export type Translate = (key: string, args?: Readonly<Record<string, string>>) => string;

/** Whether arguments may be anything (`text`), or must not be taken for markup (`html`). */
export type Form = 'text' | 'html';

const textOf = createCatalog({ en, es, fr });

export const translator =
  (lng: Language, form: Form): Translate =>
  (key, args = {}) =>
    textOf(key, args, lng, { escapeValue: form === 'html' });
