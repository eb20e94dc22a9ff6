/** The texts of the mails. */
import { createCatalog, type Language } from '../../../../core/messages';
import en from './texts/en.json';
import es from './texts/es.json';
import fr from './texts/fr.json';

/** The text of a key with its arguments. */
export type Translate = (key: string, args?: Readonly<Record<string, string>>) => string;

/** Whether arguments are inserted as they are (`text`) or escaped (`html`). */
export type Form = 'text' | 'html';

const textOf = createCatalog({ en, es, fr });

export const translator =
  (lng: Language, form: Form): Translate =>
  (key, args = {}) =>
    textOf(key, args, lng, { escapeValue: form === 'html' });
