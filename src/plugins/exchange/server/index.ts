import type { Core } from '@strapi/strapi';
import { addStream } from '../../assets/server/stream';
import type { Objects } from '../../objects/server/types';
import { runImport, type ImportOptions } from './import/run';
import type { Summary } from './import/summary';

/** `strapi.plugin('exchange').service('import')` */
export interface ImportService {
  /** Imports a Camtrap DP 1; see `runImport`. */
  run(path: string, options: ImportOptions): Promise<Summary>;
}

const importService = ({ strapi }: { strapi: Core.Strapi }): ImportService => ({
  run: (path, options) =>
    runImport(path, options, {
      objects: strapi.plugin('objects').service<Objects>('objects'),
      addPhotograph: (...photograph) => addStream(strapi, ...photograph),
      transaction: async (work) => {
        await strapi.db.transaction(work);
      },
    }),
});

export default { services: { import: importService } };
