import type {
  SearchIndexDeclaration,
  SearchTableDeclaration,
} from '../../plugins/objects/server/declare/search-table';
import { GENERALIZATION } from './domain/generalize';

/** What the rights of any caller to an encounter, and its audience, are decided by. */
const DECIDING = ['audience', 'level', 'owner', 'state', 'id'];

/** What is asked for together: an area of a map of a country or a taxon. */
const PLACE = ['latitude', 'longitude'];

/** An index of the encounters with a value, in the order of their time. */
const inTime = (name: string, field: string, beside = DECIDING): SearchIndexDeclaration => ({
  name,
  by: [field, 'time'],
  beside: beside.filter((one) => one !== field),
});

/** Where encounters are searched. */
export const searched: SearchTableDeclaration = {
  name: 'oms_search_encounters',
  version: GENERALIZATION,
  fields: [
    ...['owner', 'individual', 'taxonomy', 'state', 'location_privacy', 'time', 'latitude'],
    ...['longitude', 'coordinate_uncertainty', 'location_id', 'country_code', 'external_id'],
    ...['sex', 'life_stage', 'living_status', 'group_size', 'basis_of_record'],
  ],
  indexes: [
    { name: 'document', by: ['document_id'] },
    { name: 'time', by: ['time'], beside: ['audience'] },
    { name: 'sort', by: ['sort_key', 'document_id'] },
    inTime('owner', 'owner'),
    inTime('individual', 'individual'),
    inTime('taxonomy', 'taxonomy', [...DECIDING, 'country_code', ...PLACE]),
    // With the end, so that what is of a state within some months is counted without its rows.
    inTime('state', 'state', [...DECIDING, 'time']),
    inTime('location', 'location_id'),
    inTime('country', 'country_code', [...DECIDING, 'taxonomy', ...PLACE]),
    inTime('external', 'external_id'),
    { name: 'cell', by: ['cell', ...PLACE], beside: DECIDING },
    // Of all else, the end of a time is not far from its start. With the end, so that PostgreSQL, which does not know how few
    // these are, takes no other index for them.
    { name: 'days', by: ['time'], beside: [...DECIDING, 'time'], lasting: 86_400_000 },
    { name: 'long', by: ['time'], beside: [...DECIDING, 'time'], lasting: 2_678_400_000 },
  ],
};
