/** The site settings that all contenders know: an encounter has one text of the instance's own. */
export const SITE = {
  custom_fields: {
    encounter: [{ key: 'weather', type: 'string', label: { en: 'Weather' } }],
  },
} as const;
