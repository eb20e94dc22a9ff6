/** What the floor asks of its database. */
import type { Encounter } from './encounter';

export interface Store {
  read(id: string): Promise<Encounter | null>;
  /** Null when the taxon does not exist. */
  create(encounter: Encounter): Promise<string | null>;
  /** @returns the new version; null when there is no such encounter, false when it has another version */
  update(id: string, version: number | null, change: Encounter): Promise<number | false | null>;
  /** @returns whether there was one */
  remove(id: string): Promise<boolean>;
  close(): Promise<void>;
}

/** The taxon, and all that stand above it: its key first; the nearest privacy counts. One parameter, its ID. */
export const taxonSelect = (parameter: string): string => `
  with recursive up(key, parent, privacy, depth) as (
    select key, parent, location_privacy, 0 from taxon where id = ${parameter}
    union all
    select t.key, t.parent, t.location_privacy, depth + 1 from taxon t join up on t.key = up.parent
  ) select key, privacy from up order by depth`;

/** One encounter with its taxon. One parameter, its ID. */
export const encounterSelect = (parameter: string): string => `
  select e.*, (select t.id from taxon t where t.key = e.taxonomy) as taxon
  from encounter e where e.id = ${parameter}`;

export interface TaxonRow {
  readonly key: number | string;
  readonly privacy: string | null;
}

/** A new encounter with its defaults. */
export const completed = (
  encounter: Encounter,
  id: string,
  now: number,
  taxa: readonly TaxonRow[],
): Encounter => ({
  basis_of_record: 'human_observation',
  location_privacy: taxa.find(({ privacy }) => privacy !== null)?.privacy ?? 'open',
  ...encounter,
  tags: ((encounter['tags'] ?? []) as string[]).map((tag) => tag.toLowerCase()),
  id,
  state: 'approved',
  version: 1,
  created_at: now,
  updated_at: now,
});
