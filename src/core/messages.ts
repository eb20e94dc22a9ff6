/**
 * The texts of the message catalogue, for those who read them here: the panel, later the mails. The
 * frontend reads `public/locales/{lng}/translation.json` itself.
 */
import { createInstance, type i18n } from 'i18next';
import en from '../../public/locales/en/translation.json';
import type { Args } from './errors';

let catalog: i18n | null = null;

function english(): i18n {
  if (catalog) return catalog;
  catalog = createInstance({
    lng: 'en',
    resources: { en: { translation: en } },
    interpolation: { escapeValue: false },
    initAsync: false,
    showSupportNotice: false,
  });
  void catalog.init();
  return catalog;
}

/** The English text of a message key, with its arguments in it. */
export const messageText = (key: string, args: Args): string => english().t(key, { ...args });
