/**
 * Levels of location privacy as numbers, the stricter the greater: 0 open, 1 obscured, 2 private. One rule gives the
 * level of an encounter (contract, section 6), as SQL over stored rows and as a function of what a transaction knows;
 * a test holds the two equal.
 */
import { literal, raw, sql, type Sql } from '../../plugins/objects/server/database/sql';
import {
  LOCATION_PRIVACIES,
  type LocationPrivacy,
  type PrivacySettings,
} from '../../plugins/objects/server/site/settings';

/** The strictest level. */
export const STRICTEST = LOCATION_PRIVACIES.length - 1;

/** The level of a location privacy; null and unknown values are open. */
export const levelOf = (privacy: unknown): number =>
  Math.max(LOCATION_PRIVACIES.indexOf(privacy as LocationPrivacy), 0);

/** The same of a column with a privacy. */
export const levelIn = (column: Sql): Sql =>
  sql`case ${column} when 'private' then 2 when 'obscured' then 1 else 0 end`;

/** The level of a taxon with all that it inherits, as it is kept. What has not been computed yet counts as the strictest. */
export const levelOfTaxon = (alias: string): Sql =>
  raw(`coalesce(${alias}.effective_privacy, ${STRICTEST})`);

/** The same of a row that a left join may not have found. */
const levelOrOpen = (alias: string): Sql =>
  sql`case when ${raw(`${alias}.id is null`)} then 0 else ${levelOfTaxon(alias)} end`;

/** The code of a taxon that is open and has protected taxa below it: who is identified as it may be one of them. */
export const UNIDENTIFIED = -1;

/**
 * The code of a taxon, by what is kept with it: its level with all that it inherits, or `UNIDENTIFIED`. What has not been
 * computed yet counts as the strictest.
 */
export const codeIn = (alias: string): Sql =>
  sql`case when ${levelOfTaxon(alias)} > 0 then ${levelOfTaxon(alias)}
    when ${raw(`${alias}.protected_below > 0 then ${UNIDENTIFIED}`)} else 0 end`;

/** The code of the taxon with this row ID; null without a taxon. */
const codeOf = (taxon: Sql): Sql =>
  sql`(select ${codeIn('p')} from taxonomies p where p.id = ${taxon})`;

/** Whether any taxon is protected. */
export const ANY_PROTECTED: Sql = raw(
  `exists (select 1 from taxonomies a where a.location_privacy in ('obscured', 'private'))`,
);

/** What the level of a stored encounter depends on, as columns; both taxa by their row IDs. */
export interface LevelColumns {
  /** Its own privacy. */
  readonly own: Sql;
  readonly taxon: Sql;
  /** The taxon that its individual lends it. */
  readonly protectedAs: Sql;
}

/** The level of a stored encounter. */
export function levelOfEncounter(
  { own, taxon, protectedAs }: LevelColumns,
  { defaultLocationPrivacy, protectUnidentified }: PrivacySettings,
): Sql {
  if (defaultLocationPrivacy === 'private') return raw(String(STRICTEST));
  if (defaultLocationPrivacy === 'obscured')
    return sql`case ${own} when 'private' then 2 else case ${codeOf(taxon)} when 2 then 2 else 1 end end`;
  const unidentified = protectUnidentified
    ? sql`when of_taxon.id is not null then case when of_taxon.protected_below > 0 then 1 else 0 end
      when lent.id is not null then case when lent.protected_below > 0 then 1 else 0 end
      when ${ANY_PROTECTED} then 1`
    : raw('');
  // Both taxa are looked up once: searches contain this several times, and are compiled each time.
  return sql`case ${own} when 'private' then 2 else (select case ${levelOrOpen('of_taxon')} when 2 then 2 when 1 then 1
      else case when ${own} = 'obscured' then 1 when ${levelOrOpen('lent')} > 0 then ${levelOfTaxon('lent')} ${unidentified} else 0 end end
    from (select 1 as one) one left join taxonomies of_taxon on of_taxon.id = ${taxon}
      left join taxonomies lent on lent.id = ${protectedAs}) end`;
}

/** What the level of an encounter depends on. */
export interface LevelFacts {
  /** Its own location privacy. */
  readonly own: unknown;
  /** The code of its taxon, and of the one that its individual lends it; null without one. */
  readonly taxon: number | null;
  readonly protectedAs: number | null;
  readonly isAnyProtected: boolean;
}

/** The level of an encounter: the same rule as `levelOfEncounter`. */
export function levelFrom(
  { own, taxon, protectedAs, isAnyProtected }: LevelFacts,
  { defaultLocationPrivacy, protectUnidentified }: PrivacySettings,
): number {
  const declared = Math.max(levelOf(own), taxon ?? 0, levelOf(defaultLocationPrivacy));
  if (declared > 0) return declared;
  const lent = Math.max(protectedAs ?? 0, 0);
  if (lent > 0 || !protectUnidentified) return lent;
  const identified = taxon ?? protectedAs;
  return (identified === null ? isAnyProtected : identified === UNIDENTIFIED) ? 1 : 0;
}

/** The level of a stored individual: that of its taxon, which may be unknown, and the site's. @param taxon its row ID */
export function levelOfIndividual(
  taxon: Sql,
  { defaultLocationPrivacy, protectUnidentified }: PrivacySettings,
): Sql {
  if (defaultLocationPrivacy === 'private') return raw(String(STRICTEST));
  const code = codeOf(taxon);
  if (defaultLocationPrivacy === 'obscured') return sql`case ${code} when 2 then 2 else 1 end`;
  if (!protectUnidentified) return sql`case ${code} when 2 then 2 when 1 then 1 else 0 end`;
  return sql`case ${code} when 2 then 2 when 1 then 1 when 0 then 0
    when ${raw(String(UNIDENTIFIED))} then 1 else case when ${ANY_PROTECTED} then 1 else 0 end end`;
}

/** The name of the view of strangers of what has a level. @param names of the views other than the exact one, by level */
export const viewOfLevel = (level: Sql, exact: string, names: readonly string[]): Sql => {
  const [obscured = exact, strictest = obscured] = names;
  return sql`case ${level} when 0 then ${literal(exact)} when 1 then ${literal(obscured)} else ${literal(strictest)} end`;
};
