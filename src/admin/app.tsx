import type { StrapiApp } from '@strapi/strapi/admin';
import { orderMenu } from '../plugins/panel/admin/seams/content-menu';
import { keepRefusedInput } from './refused-saves';
import en from './translations/en.json';
import es from './translations/es.json';
import fr from './translations/fr.json';

const TEXTS: Readonly<Record<string, Readonly<Record<string, string>>>> = { en, es, fr };

/** What the content manager offers to others, as far as it is used here. */
interface ContentManager {
  addDocumentAction(change: (actions: Action[]) => Action[]): void;
}

interface Action {
  readonly type?: string;
}

/** Strapi's announcement of a new media library, under the name by which it remembers that it was closed. */
const ANNOUNCEMENT = 'STRAPI_MEDIA_LIBRARY_BANNER_DISMISSED_FOR_false';

/** The server refuses a duplicate: an encounter happens once. A model is edited in its repository. */
const WITHOUT: ReadonlySet<string | undefined> = new Set(['clone', 'edit-the-model']);

/**
 * Nothing here is ever a draft: what waits for a review would be shown as published. Strapi's statistics count its own users
 * as administrators.
 */
const UNTRUE: ReadonlySet<string> = new Set([
  'last-published-entries',
  'chart-entries',
  'key-statistics',
]);

/** The panel as it is delivered: no tutorials, no advertisement. Branding and languages go here. */
export default {
  config: {
    locales: ['es', 'fr'],
    // In place of texts of Strapi, or where it has none.
    translations: { en, es, fr },
    notifications: { releases: false },
    tutorials: false,
  },

  register(app: StrapiApp) {
    app.addMiddlewares([keepRefusedInput]);
    orderMenu(app, (title, language) => TEXTS[language]?.[title]);
    app.widgets.register((widgets) => widgets.filter(({ id }) => !UNTRUE.has(id)));
    // The instance has no ID, and until it is asked for, the panel does not know that.
    for (const scope of ['false', 'undefined'])
      localStorage.setItem(`${ANNOUNCEMENT}:${scope}`, 'true');
  },

  bootstrap(app: Pick<StrapiApp, 'getPlugin'>) {
    const { apis } = app.getPlugin('content-manager');
    (apis as unknown as ContentManager).addDocumentAction((actions) =>
      actions.filter(({ type }) => !WITHOUT.has(type)),
    );
  },
};
