/** The menu of the content manager: Strapi opens it on the type whose title comes first, and sorts by titles. */
import type { StrapiApp } from '@strapi/strapi/admin';

const HOOK = 'Admin/CM/pages/App/mutate-collection-types-links';

interface TypeLink {
  readonly uid: string;
  readonly title: string;
}

interface Links {
  readonly ctLinks: readonly TypeLink[];
  readonly models: unknown;
}

/** What a moderator works with. */
const FIRST = 'api::encounter.encounter';

/** In any language a title with a space in front comes before those without, and is shown without it. */
const FRONT = ' ';

/**
 * Has the menu open on encounters, and names the types in the reader's language, so that they are sorted and found in it.
 * To be called in `register`.
 *
 * @param titleOf the title of a type in a language, by that of its schema
 */
export function orderMenu(
  app: Pick<StrapiApp, 'registerHook'>,
  titleOf: (title: string, language: string) => string | undefined,
): void {
  app.registerHook(HOOK, (links: Links): Links => ({
    ...links,
    ctLinks: links.ctLinks.map((link) => {
      const title = titleOf(link.title, document.documentElement.lang) ?? link.title;
      return { ...link, title: link.uid === FIRST ? FRONT + title : title };
    }),
  }));
}
