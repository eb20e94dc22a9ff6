/** The floor's copy of the service's records, in its own tables. */
import type { DatabaseName, Place } from '../places/place';
import { fileIn, sqlitePlace } from '../places/sqlite';
import { createTables, fillTables } from './schema';

type Maker = (ours: Place, parent: string) => Promise<Place>;

const MAKERS: Record<DatabaseName, Maker> = {
  async sqlite(ours, parent) {
    const place = sqlitePlace(parent);
    await place.run(
      'pragma journal_mode = WAL',
      `attach '${fileIn(ours.folder)}' as ours`,
      ...createTables('integer primary key'),
      ...fillTables('ours.', (column) => column),
    );
    return place;
  },
  async postgres(ours) {
    const place = await ours.copy();
    await place.run(
      ...createTables('bigserial primary key'),
      ...fillTables('', (column) => `(extract(epoch from ${column}) * 1000)::bigint`),
      'analyze',
    );
    return place;
  },
};

/** @param parent the folder of the run */
export const floorPlace = (database: DatabaseName, ours: Place, parent: string): Promise<Place> =>
  MAKERS[database](ours, parent);
