/** The languages of the panel, by their own names. */
export const LANGUAGES = { en: 'English', es: 'Español', fr: 'Français' } as const;
