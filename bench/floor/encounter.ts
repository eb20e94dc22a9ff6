/** Converts encounters between rows and the wire, in the simplest way. */
import type { Column } from './schema';

export type Value = string | number | null;
/** A row of the drivers: SQLite returns JSON as text and integers as numbers, PostgreSQL the reverse. */
export type Row = Readonly<Record<Column | 'key' | 'taxon', unknown>>;
/** An encounter as the wire has it. */
export type Encounter = Readonly<Record<string, unknown>>;

const list = (value: unknown): unknown =>
  typeof value === 'string' ? (JSON.parse(value) as unknown) : (value ?? []);

const instant = (value: unknown): string => new Date(Number(value)).toISOString();

/** The encounter of a row, with what an administrator sees. */
export const toWire = (row: Row): Encounter => ({
  id: row.id,
  owner: null,
  event_id: row.event_id,
  individual: null,
  taxonomy: row.taxon,
  organizations: [],
  time: row.time,
  verbatim_time: row.verbatim_time,
  latitude: row.latitude,
  longitude: row.longitude,
  coordinate_uncertainty: row.coordinate_uncertainty,
  location_id: row.location_id,
  locality: row.locality,
  country_code: row.country_code,
  elevation: row.elevation,
  depth: row.depth,
  location_privacy: row.location_privacy,
  // Its site tells all of everything, at once.
  level: 'open',
  protected_as: null,
  told_from: instant(row.created_at).slice(0, 10),
  generalized: null,
  sex: row.sex,
  life_stage: row.life_stage,
  living_status: row.living_status,
  group_size: row.group_size,
  behavior: row.behavior,
  basis_of_record: row.basis_of_record,
  observers: list(row.observers),
  sampling_protocol: row.sampling_protocol,
  measurements: list(row.measurements),
  tags: list(row.tags),
  remarks: row.remarks,
  assets: [],
  license: row.license,
  source: row.source,
  external_id: row.external_id,
  verbatim: null,
  custom_fields: row.custom_fields === null ? {} : list(row.custom_fields),
  state: row.state,
  version: row.version,
  created_at: instant(row.created_at),
  updated_at: instant(row.updated_at),
  review_note: row.review_note,
  submitter_email: row.submitter_email,
  permissions: ['update', 'delete', 'review'],
});

const LISTS = new Set(['observers', 'measurements', 'tags', 'custom_fields']);

/** The value of a column. The load sends instants, not the intervals that the service would take apart. */
export function toColumn(name: Column, encounter: Encounter): Value {
  if (name === 'time_start' || name === 'time_end') {
    return typeof encounter['time'] === 'string' ? Date.parse(encounter['time']) : null;
  }
  if (name === 'import_key') return null;
  const value = encounter[name] ?? null;
  return LISTS.has(name) ? JSON.stringify(value ?? []) : (value as Value);
}

/** The fields that every change sets. */
const ALWAYS = new Set(['id', 'version', 'created_at', 'updated_at', 'permissions']);

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || /^(\[\]|\{\})$/.test(JSON.stringify(value));

/** The text of a history entry: what an encounter was before and after, field by field. */
export function changesOf(before: Encounter | null, after: Encounter | null): string {
  const changes = Object.keys(after ?? before ?? {}).flatMap((path) => {
    const [was, is] = [before?.[path] ?? null, after?.[path] ?? null];
    if (ALWAYS.has(path) || (isEmpty(was) && isEmpty(is))) return [];
    return JSON.stringify(was) === JSON.stringify(is) ? [] : [[path, was, is]];
  });
  return JSON.stringify(changes);
}
