/** The custom fields (Strapi's word for inputs of a plugin) that `panel/admin` draws; all hold JSON. */
import type { Core } from '@strapi/strapi';

/** As `schema.json` names them, behind `plugin::panel.` */
const NAMES = ['localized', 'texts', 'regions', 'custom-fields', 'paths', 'names'] as const;

/** In `register`, before Strapi reads the types. */
export function registerInputs(strapi: Core.Strapi): void {
  strapi.customFields.register(
    NAMES.map((name) => ({ name, plugin: 'panel', type: 'json' as const })),
  );
}
