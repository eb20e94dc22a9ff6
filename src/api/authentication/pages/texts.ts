/** The texts of the account pages: `PAGE_<key>` in `public/locales`. */
import { messageText, type Language } from '../../../core/messages';

/** The texts with the types of their arguments. */
export const PAGE_TEXTS = {
  reset: [],
  reset_about: [],
  invite: [],
  invite_about: [],
  verify: [],
  verify_about: [],
  password: ['min'],
  password_again: [],
  passwords_differ: [],
  save: [],
  confirm: [],
  saved: [],
  saved_about: [],
  confirmed: [],
  confirmed_about: [],
  to_panel: [],
  no_token: [],
  failed: [],
  failed_about: [],
} as const;

export type PageText = keyof typeof PAGE_TEXTS;

export type Say = (key: PageText, args?: Readonly<Record<string, number>>) => string;

export const pageTexts =
  (language: Language): Say =>
  (key, args = {}) =>
    messageText(`PAGE_${key}`, args, language);
