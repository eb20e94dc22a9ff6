/** The custom fields (Strapi's word for inputs of a plugin) that `panel/admin` draws; all hold JSON. */
import type { Core } from '@strapi/strapi';

/** As `schema.json` names them, behind `plugin::panel.` */
const NAMES = [
  'localized',
  'texts',
  'regions',
  'notes',
  'custom-fields',
  'paths',
  'names',
  'relationships',
  'measurements',
] as const;

/** Those whose values are in a table of ours: their attributes have no column. */
const ELSEWHERE: ReadonlySet<unknown> = new Set(['plugin::panel.relationships']);

interface SyncHook {
  register(handler: () => void): unknown;
}

/** In `register`, before Strapi reads the types. */
export function registerInputs(strapi: Core.Strapi): void {
  strapi.customFields.register(
    NAMES.map((name) => ({ name, plugin: 'panel', type: 'json' as const })),
  );
  const sync = strapi.hook('strapi::content-types.beforeSync') as unknown as SyncHook;
  sync.register(() => omitColumns(strapi));
}

/** Before Strapi compares the tables with the types: it neither makes nor reads columns of these attributes. */
function omitColumns(strapi: Core.Strapi): void {
  for (const { attributes } of strapi.db.metadata.values()) {
    for (const [name, attribute] of Object.entries(attributes))
      if ('customField' in attribute && ELSEWHERE.has(attribute.customField))
        Reflect.deleteProperty(attributes, name);
  }
}
