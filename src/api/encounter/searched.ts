import type { KeptColumns } from '../../plugins/objects/server/define/behavior';
import type { SearchTable } from '../../plugins/objects/server/define/declaration';

/** Where encounters are searched; `database/migrations` makes the table and its indexes. */
export const searched: SearchTable = {
  name: 'oms_search_encounters',
  fields: [
    ...['owner', 'individual', 'taxonomy', 'state', 'location_privacy', 'time', 'latitude'],
    ...['longitude', 'coordinate_uncertainty', 'location_id', 'country_code', 'external_id'],
  ],
};

/** What of it follows from what is generalized. */
export const SEARCHED_COLUMNS: KeptColumns = {
  table: searched.name,
  key: 'key',
  columns: ['id', 'audience', 'level', 'time', 'latitude', 'longitude', 'location_id'],
};
