/** The floor's own tables: the columns of an encounter, with the indexes that the service has for its searches. */

const INDEXED = [
  'taxonomy',
  'time_start, time_end',
  'state',
  'location_id',
  'country_code',
  'event_id',
  'external_id',
  'created_at',
  'updated_at',
];

/** The columns of an encounter, by the names of the wire where it has one, and their types. */
const COLUMNS = {
  id: 'text not null unique',
  event_id: 'text',
  taxonomy: 'bigint references taxon (key)',
  time: 'text',
  time_start: 'bigint',
  time_end: 'bigint',
  verbatim_time: 'text',
  latitude: 'double precision',
  longitude: 'double precision',
  coordinate_uncertainty: 'double precision',
  location_id: 'text',
  locality: 'text',
  country_code: 'text',
  elevation: 'double precision',
  depth: 'double precision',
  location_privacy: 'text',
  sex: 'text',
  life_stage: 'text',
  living_status: 'text',
  group_size: 'integer',
  behavior: 'text',
  basis_of_record: 'text',
  observers: 'jsonb',
  sampling_protocol: 'text',
  measurements: 'jsonb',
  tags: 'jsonb',
  remarks: 'text',
  license: 'text',
  source: 'text',
  external_id: 'text',
  import_key: 'text unique',
  custom_fields: 'jsonb',
  state: 'text',
  version: 'integer not null',
  created_at: 'bigint not null',
  updated_at: 'bigint not null',
  review_note: 'text',
  submitter_email: 'text',
} as const;

export type Column = keyof typeof COLUMNS;
export const ENCOUNTER_COLUMNS = Object.keys(COLUMNS) as Column[];

/** @param key the type of an auto-incremented primary key */
export const createTables = (key: string): string[] => [
  `create table taxon (key ${key}, id text not null unique)`,
  `create table encounter (key ${key}, ${Object.entries(COLUMNS)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ')})`,
  ...INDEXED.map((columns, i) => `create index encounter_${i} on encounter (${columns})`),
  `create table history (seq ${key}, id text not null unique, type text not null,
    object text not null, version integer not null, at bigint not null, action text not null,
    actor_kind text not null, actor_id text, actor_name text, changes text not null)`,
  'create index history_object on history (object, seq)',
  'create index history_actor on history (actor_id, seq)',
  'create index history_at on history (at)',
];

/**
 * Copies the service's records to these tables.
 *
 * @param from the prefix of the names of the service's tables
 * @param instant the SQL of a column of the service in milliseconds since 1970
 */
export function fillTables(from: string, instant: (column: string) => string): string[] {
  const source = (column: Column): string => {
    if (column === 'id') return 'document_id';
    if (column === 'taxonomy') return 'taxonomy_id';
    return column === 'created_at' || column === 'updated_at' ? instant(column) : column;
  };
  const history = `id, type, object, version, at, action, actor_kind, actor_id, actor_name, changes`;
  return [
    `insert into taxon (key, id) select id, document_id from ${from}taxonomies order by id`,
    `insert into encounter (${ENCOUNTER_COLUMNS.join(', ')})
      select ${ENCOUNTER_COLUMNS.map(source).join(', ')} from ${from}encounters order by id`,
    `insert into history (${history}) select ${history} from ${from}oms_history order by seq`,
  ];
}
