import type { StrapiApp } from '@strapi/strapi/admin';
import { keepRefusedInput } from './refused-saves';

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

/** The service counts what a list finds to this number, and does not look further. */
const COUNTED = 10_000;

/** Above a list, in place of Strapi's texts: how much was found. */
const FOUND = 'content-manager.pages.ListView.header-subtitle';

/** The panel as it is delivered: no tutorials, no advertisement. Branding and languages go here. */
export default {
  config: {
    locales: ['es', 'fr'],
    translations: {
      en: {
        [FOUND]: `{number, plural, =${COUNTED} {{number} or more, or not all looked through: filter further to find the rest} one {# entry found} other {# entries found}}`,
      },
      es: {
        [FOUND]: `{number, plural, =${COUNTED} {{number} o más, o no todas revisadas: filtre más para encontrar el resto} one {# entrada encontrada} other {# entradas encontradas}}`,
      },
      fr: {
        [FOUND]: `{number, plural, =${COUNTED} {{number} ou plus, ou pas toutes examinées : filtrez davantage pour trouver le reste} one {# entrée trouvée} other {# entrées trouvées}}`,
      },
    },
    notifications: { releases: false },
    tutorials: false,
  },

  register(app: StrapiApp) {
    app.addMiddlewares([keepRefusedInput]);
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
