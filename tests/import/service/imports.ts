import type { ImportService } from '#app/plugins/exchange/server';
import type { ImportOptions } from '#app/plugins/exchange/server/import/run';
import type { ImportSummary } from '#app/plugins/exchange/server/import/summary';
import type { TestService } from '../../helpers/service';

/** What an import makes, those that refer first. */
const TABLES = ['encounters', 'individuals', 'oms_individual_names', 'taxonomies', 'assets'];

export type StoredRow = Record<string, unknown>;

export interface Imports {
  readonly run: (path: string, options?: Partial<ImportOptions>) => Promise<ImportSummary>;
  /** All rows of a table, as they are stored. */
  readonly rows: (table: string) => Promise<StoredRow[]>;
  /** Deletes all of them. */
  readonly empty: () => Promise<void>;
}

/** Imports into a shared service, which has nothing of them after each test. @param report the file of faults */
export function useImports(started: () => TestService, report: string): Imports {
  const empty = async (): Promise<void> => {
    for (const table of TABLES) await started().strapi.db.connection(table).delete();
  };
  afterEach(empty);
  return {
    empty,
    run: (path, options = {}) =>
      started()
        .strapi.plugin('exchange')
        .service<ImportService>('import')
        .run(path, { report, ...options }),
    rows: (table) => started().strapi.db.connection(table).select<StoredRow[]>('*').orderBy('id'),
  };
}
