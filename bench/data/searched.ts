/**
 * Encounters that searches find: so many that few match a condition, and others of which a tenth matches. Their times
 * follow their IDs, so that what the first ones have is found among the oldest alone.
 */
import type { Place } from '../places/place';

/** Encounters that a selective condition matches, for a moderator, at every size. */
export const FEW = 500;

const FIRST = Date.UTC(2005, 0, 1);
const YEARS = 20 * 365 * 86_400_000;

/** What is made through the API, by document ID. */
export interface Subjects {
  readonly owners: Readonly<Record<Where, string>>;
  readonly taxa: Readonly<Record<Where, string>>;
}

/** Where the matches are: all over, or the oldest of all. */
export type Where = 'spread' | 'oldest';

/** Milliseconds between the times of two encounters that follow each other. */
export const step = (size: number): number => Math.floor(YEARS / size);

/** A span of time with so many encounters, in the middle of all or at their beginning. */
export function spanOf(
  where: Where,
  size: number,
  encounters = FEW,
): readonly [from: string, to: string] {
  const start = FIRST + (where === 'oldest' ? 0 : Math.floor(size / 2) * step(size));
  const at = (time: number): string => new Date(time).toISOString().slice(0, 16) + 'Z';
  return [at(start), at(start + encounters * step(size))];
}

/** Boxes in the Pacific, where no others are. */
export const BOXES: Readonly<Record<Where, readonly [number, number, number, number]>> = {
  spread: [-150, -40, -149, -39],
  oldest: [-150, -50, -149, -49],
};

/** Gives each encounter values by its number. @param size how many there are, with the IDs from 1 */
export async function vary(place: Place, size: number, subjects: Subjects): Promise<void> {
  const every = size / FEW;
  const isPostgres = place.env['DATABASE_CLIENT'] === 'postgres';
  const some = (rest: number): string => `id % ${every} = ${rest % every}`;
  const first = (nth: number): string => `id > ${nth * FEW} and id <= ${(nth + 1) * FEW}`;
  const [{ spread: owner, oldest: oldOwner }, { spread: taxon, oldest: oldTaxon }] = [
    subjects.owners,
    subjects.taxa,
  ];
  const row = (table: string, id: string): string =>
    `(select id from ${table} where document_id = '${id}')`;
  const start = `(cast(${FIRST} as bigint) + (id - 1) * cast(${step(size)} as bigint))`;
  const time = isPostgres
    ? `to_char(to_timestamp(${start} / 1000) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`
    : `strftime('%Y-%m-%dT%H:%M:%SZ', ${start} / 1000, 'unixepoch')`;
  const second = `${start} / 1000 * 1000`;
  const inBox = (at: 0 | 1): string => `case
      when ${some(3)} then ${BOXES.spread[at]} + (id % 97) / 100.0
      when ${first(2)} then ${BOXES.oldest[at]} + (id % 97) / 100.0
      else ${at === 0 ? '(cast(id as bigint) * 7919 % 28000) / 100.0 - 100' : '(cast(id as bigint) * 104729 % 17000) / 100.0 - 85'} end`;
  await place.run(
    `insert into up_users (document_id, name, email, email_key, account_role, version)
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 2000)
      select cast(gen_random_uuid() as text), 'Owner', 'o' || n || '@example.org', 'o' || n || '@example.org', 'user', 1
      from numbers`,
    `insert into individuals (document_id, names, tags, custom_fields, version, encounter_count, public_encounter_count)
      with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${size / 25})
      select cast(gen_random_uuid() as text), '[]', '[]', '{}', 1, 0, 0 from numbers`,
    `update encounters set
      owner_id = case when ${some(1)} then ${row('up_users', owner)} when ${first(0)} then ${row('up_users', oldOwner)}
        else (select max(id) from up_users) - cast(floor(power(2000, (cast(id as bigint) * 6151 % 1000) / 1000.0)) as integer) + 1 end,
      taxonomy_id = case when ${some(2)} then ${row('taxonomies', taxon)} when ${first(1)} then ${row('taxonomies', oldTaxon)}
        else (select min(t.id) from taxonomies t where t.id >= 60 + cast(encounters.id as bigint) * 31 % 230) end,
      individual_id = case when id % 2 = 0 then (select min(id) from individuals) + cast(id as bigint) * 13 % ${size / 25} end,
      country_code = case when id % 10 = 0 then 'TZ' else 'ZA' end,
      location_privacy = case when id % 50 = 7 then 'obscured' else 'open' end,
      time = ${time}, time_start = ${second}, time_end = ${second} + 999,
      longitude = ${inBox(0)}, latitude = ${inBox(1)},
      remarks = 'Seen near the ' || case when id / 10 % 10 = 3 then 'meander' else 'hill' || id % 20 end ||
        case when id / 100 % 10 = 5 then ' under a boulder' else ' in the grass' end ||
        case when ${some(4)} then ' zorilla' when ${first(3)} then ' aardwolf' else '' end`,
  );
}
