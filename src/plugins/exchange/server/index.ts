import type { Core } from '@strapi/strapi';
import { addStream } from '../../assets/server/stream';
import { databaseOf, registryOf, resourceOf, siteOf } from '../../objects/server';
import type { Objects } from '../../objects/server/types';
import type { ImportOptions } from './import/run';
import type { SiteFields } from './package/dataset';
import type { ImportSummary } from './import/summary';

/** `strapi.plugin('exchange').service('import')` */
export interface ImportService {
  /** Imports a Camtrap DP 1 or a Darwin Core archive; see `runImport`. */
  run(path: string, options: ImportOptions): Promise<ImportSummary>;
}

/** While one waits for a shared database, the others prepare. */
const WRITERS = 3;

const importService = ({ strapi }: { strapi: Core.Strapi }): ImportService => ({
  async run(path, options) {
    // A service that imports nothing does not load it.
    const { runImport } = await import('./import/run');
    return runImport(path, options, {
      objects: strapi.plugin('objects').service<Objects>('objects'),
      fields: () => fieldsOf(strapi),
      addPhotograph: (...photograph) => addStream(strapi, ...photograph),
      transaction: async (work) => {
        await strapi.db.transaction(work);
      },
      writers: databaseOf(strapi).isShared ? WRITERS : 1,
      whileAdding: (encounters, work) => {
        const { table, searched } = registryOf(strapi).model().type('encounter').resource;
        const tables = [
          { table, needs: ['individual_id'] },
          { table: 'oms_history', needs: [] },
          ...(searched ? [{ table: searched.name, needs: ['id'] }] : []),
        ];
        return databaseOf(strapi).whileAdding(encounters, tables, work);
      },
      maintain: () => databaseOf(strapi).maintain(),
    });
  },
});

/** The fields of encounters, as they are declared and as the site settings are now. */
function fieldsOf(strapi: Core.Strapi): SiteFields {
  const { customFields, regions } = siteOf(strapi).current();
  const usable = (customFields['encounter'] ?? []).filter(({ retired }) => !retired);
  return {
    declared: resourceOf(strapi, 'api::encounter.encounter')?.fields ?? new Map(),
    custom: new Set(usable.map(({ key }) => key)),
    regions: new Set(regions.map(({ id }) => id)),
  };
}

export default { services: { import: importService } };
