/**
 * Levels of location privacy as numbers, the stricter the greater: 0 open, 1 obscured, 2 private. An encounter has the
 * strictest of its own, its taxon's (with ancestors) and the site's (contract, section 6).
 */
import { raw, sql, type Sql } from '../database/sql';
import { LOCATION_PRIVACIES, type LocationPrivacy } from '../site';

/** The strictest level. */
export const STRICTEST = LOCATION_PRIVACIES.length - 1;

/** The level of a location privacy; null and unknown values are open. */
export const levelOf = (privacy: unknown): number =>
  Math.max(LOCATION_PRIVACIES.indexOf(privacy as LocationPrivacy), 0);

/** The same of a column with a privacy. */
export const levelIn = (column: Sql): Sql =>
  sql`case ${column} when 'private' then 2 when 'obscured' then 1 else 0 end`;

/** The level of a taxon with its ancestors, as it is kept. What has not been computed yet counts as the strictest. */
export const levelOfTaxon = (alias: string): Sql =>
  raw(`coalesce(${alias}.effective_privacy, ${STRICTEST})`);

/**
 * The level of an encounter.
 *
 * @param own the column with its own privacy
 * @param taxon the column with its taxon's row ID
 */
export function levelOfEncounter(own: Sql, taxon: Sql, site: LocationPrivacy): Sql {
  if (site === 'private') return raw(String(STRICTEST));
  const obscured = sql`case ${own} when 'private' then 2 else 1 end`;
  const open = site === 'obscured' ? obscured : levelIn(own);
  const inherited = sql`(select ${levelOfTaxon('p')} from taxonomies p where p.id = ${taxon})`;
  // Without a taxon it is null.
  return sql`case coalesce(${inherited}, 0) when 0 then ${open} when 1 then ${obscured} else 2 end`;
}
