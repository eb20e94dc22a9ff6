import type { SearchTable } from '../../plugins/objects/server/declare/declaration';

/** Where encounters are searched; `database/migrations` makes the table and its indexes. */
export const searched: SearchTable = {
  name: 'oms_search_encounters',
  fields: [
    ...['owner', 'individual', 'taxonomy', 'state', 'location_privacy', 'time', 'latitude'],
    ...['longitude', 'coordinate_uncertainty', 'location_id', 'country_code', 'external_id'],
    ...['sex', 'life_stage', 'living_status', 'group_size', 'basis_of_record'],
  ],
  indexed: [
    ...['owner', 'individual', 'taxonomy', 'state', 'time', 'location_id', 'country_code'],
    'external_id',
  ],
};
