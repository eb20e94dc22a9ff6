/** How the panel looks: light, dark, or as the system does. Strapi keeps it in its store, which it does not export. */

/** The modes, as Strapi names them. */
export const THEMES = ['system', 'light', 'dark'] as const;

/** Strapi's key in the browser's storage. */
const KEY = 'STRAPI_THEME';

export const currentTheme = (): string => localStorage.getItem(KEY) ?? 'system';

/** The action of Strapi's reducer (`admin/src/reducer.ts`), which stores the mode, too. */
export const setTheme = (theme: string) => ({ type: 'admin/setAppTheme', payload: theme });
