/** The operations of the floor's database. */
import type { Encounter } from './encounter';

export interface Store {
  read(id: string): Promise<Encounter | null>;
  /** The same with summaries of what it refers to. */
  readRelated(id: string): Promise<Encounter | null>;
  /** Null when the taxon does not exist. */
  create(encounter: Encounter): Promise<string | null>;
  /** @returns the new version; null when there is no such encounter, false when it has another version */
  update(id: string, version: number | null, change: Encounter): Promise<number | false | null>;
  /** @returns whether there was one */
  remove(id: string): Promise<boolean>;
  close(): Promise<void>;
}

/** The key of a taxon. One parameter, its ID. */
export const taxonSelect = (parameter: string): string =>
  `select key from taxon where id = ${parameter}`;

/** One encounter with its taxon. One parameter, its ID. */
export const encounterSelect = (parameter: string): string => `
  select e.*, (select t.id from taxon t where t.key = e.taxonomy) as taxon
  from encounter e where e.id = ${parameter}`;

export interface TaxonRow {
  readonly key: number | string;
}

/** A new encounter with its defaults. */
export const completed = (encounter: Encounter, id: string, now: number): Encounter => ({
  basis_of_record: 'human_observation',
  location_privacy: null,
  ...encounter,
  tags: ((encounter['tags'] ?? []) as string[]).map((tag) => tag.toLowerCase()),
  id,
  state: 'approved',
  version: 1,
  created_at: now,
  updated_at: now,
});
