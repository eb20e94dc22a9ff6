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
  owner: 'bigint references person (key)',
  event_id: 'text',
  individual: 'bigint references individual (key)',
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
  ...['taxon', 'person', 'individual', 'asset'].map(
    (name) => `create table ${name} (key ${key}, id text not null unique, name text)`,
  ),
  `create table encounter (key ${key}, ${Object.entries(COLUMNS)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ')})`,
  'create table encounter_asset (encounter bigint, asset bigint, position double precision)',
  'create index encounter_asset_0 on encounter_asset (encounter, position)',
  ...INDEXED.map((columns, i) => `create index encounter_${i} on encounter (${columns})`),
  `create table history (seq ${key}, id text not null unique, type text not null,
    object text not null, version integer not null, at bigint not null, action text not null,
    actor_kind text not null, actor_id text, actor_name text, changes text not null)`,
  'create index history_object on history (object, seq)',
  'create index history_actor on history (actor_id, seq)',
  'create index history_at on history (at)',
];

const REFERENCES: ReadonlySet<Column> = new Set(['taxonomy', 'owner', 'individual']);

/** What an encounter refers to: the service's table, and its column with the name. */
const NAMED = {
  taxon: ['taxonomies', 'scientific_name'],
  person: ['up_users', 'name'],
  individual: ['individuals', 'name'],
  asset: ['assets', 'filename'],
} as const;

/**
 * Copies the service's records to these tables.
 *
 * @param from the prefix of the names of the service's tables
 * @param instant the SQL of a column of the service in milliseconds since 1970
 */
export function fillTables(from: string, instant: (column: string) => string): string[] {
  const source = (column: Column): string => {
    if (column === 'id') return 'document_id';
    if (REFERENCES.has(column)) return `${column}_id`;
    return column === 'created_at' || column === 'updated_at' ? instant(column) : column;
  };
  const history = `id, type, object, version, at, action, actor_kind, actor_id, actor_name, changes`;
  return [
    ...Object.entries(NAMED).map(
      ([table, [theirs, name]]) =>
        `insert into ${table} (key, id, name) select id, document_id, ${name} from ${from}${theirs} order by id`,
    ),
    `insert into encounter (${ENCOUNTER_COLUMNS.join(', ')})
      select ${ENCOUNTER_COLUMNS.map(source).join(', ')} from ${from}encounters order by id`,
    `insert into encounter_asset (encounter, asset, position)
      select encounter_id, asset_id, asset_ord from ${from}encounters_assets_lnk`,
    `insert into history (${history}) select ${history} from ${from}oms_history order by seq`,
  ];
}
