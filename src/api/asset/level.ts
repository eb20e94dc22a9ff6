/**
 * How far strangers are told photographs (contract, section 6, "Photographs"). Two photographs with the same bytes show the
 * same animal, whoever owns the assets: so it is bytes that have a level, by their hash. It is the strictest of the
 * encounters with these bytes, and of those that were not open when they were deleted or lost them
 * (`oms_kept_photographs`), and is stored with each asset (`photographs.ts`).
 */
import { literal, raw, sql, type Sql } from '../../plugins/objects/server/database/sql';
import { IS_WAITING } from '../encounter/privacy-jobs';
import { STRICTEST, viewOfLevel } from '../encounter/level';
import { EXACT } from '../../plugins/objects/server/declare/views';
import {
  LOCATION_PRIVACIES,
  type PrivacySettings,
} from '../../plugins/objects/server/site/settings';
import { LEVELS, storedLevel, toldAs } from '../encounter/privacy';

export const [OPEN] = LOCATION_PRIVACIES;

/** The encounters `e` that have the photograph of the asset `x`. */
const ENCOUNTERS_OF_X = raw(
  'join encounters_assets_lnk l on l.asset_id = x.id join encounters e on e.id = l.encounter_id',
);

/** A `select` of the levels of all encounters, as they are now, with the bytes of a hash; and of those that had them. */
const levelsNow = (hash: Sql, privacy: PrivacySettings): Sql =>
  sql`select k.level from oms_kept_photographs k where k.sha256 = ${hash}
    union all select ${storedLevel('e', privacy)} from assets x ${ENCOUNTERS_OF_X} where x.sha_256 = ${hash}`;

/** The same by what is kept of encounters, which is as it is now unless a job waits. */
export const levelsKept = (hash: Sql): Sql =>
  sql`select k.level from oms_kept_photographs k where k.sha256 = ${hash}
    union all select g.level from assets x ${raw(
      'join encounters_assets_lnk l on l.asset_id = x.id join oms_generalized g on g.encounter = l.encounter_id',
    )}
      where x.sha_256 = ${hash}`;

/** The name of the strictest of these levels. @param levels a `select` */
export const strictestOf = (levels: Sql, privacy?: PrivacySettings): Sql =>
  viewOfLevel(
    sql`(select coalesce(max(u.level), 0) from (${levels}) u)`,
    OPEN,
    privacy ? toldAs(privacy) : LEVELS,
  );

/** The level of an asset's bytes by name. @param alias of the asset's row */
export const levelOfAsset = (alias: string, privacy: PrivacySettings): Sql =>
  sql`case when ${IS_WAITING} then ${strictestOf(levelsNow(raw(`${alias}.sha_256`), privacy), privacy)}
    else coalesce(${raw(`${alias}.level`)}, ${literal(LOCATION_PRIVACIES[STRICTEST] ?? '')}) end`;

/** Whether an asset may be told at all but as a portrait or logo. */
export const isNotPrivate = (alias: string): Sql =>
  raw(`(${alias}.location_privacy is null or ${alias}.location_privacy <> 'private')`);

/**
 * Whether an open encounter tells strangers the photograph.
 *
 * @param alias of the asset's row
 * @param isKept whether it is known that no job waits
 */
export const isTold = (alias: string, privacy: PrivacySettings, isKept = false): Sql => {
  const kept = sql`${raw(`${alias}.level`)} = ${literal(OPEN)}`;
  if (isKept) return sql`(${isNotPrivate(alias)} and ${kept})`;
  const now = sql`not exists (select 1 from (${levelsNow(raw(`${alias}.sha_256`), privacy)}) u where u.level > 0)`;
  return sql`(${isNotPrivate(alias)} and case when ${IS_WAITING} then ${now} else ${kept} end)`;
};

/**
 * Whether an encounter tells strangers a photograph. What is not open tells either none, of which no level has to be looked
 * up, because its own photographs are not open then; or, where the site wants it, all but those that are private.
 *
 * @param view the strangers' view of the encounter
 * @param isKept whether it is known that no job waits
 */
export function tellsPhotograph(
  item: string,
  view: Sql,
  privacy: PrivacySettings,
  isKept: boolean,
): Sql {
  const told = isTold(item, privacy, isKept);
  return privacy.hiddenTells === 'place'
    ? told
    : sql`(${told} or (${view} <> ${literal(EXACT)} and ${isNotPrivate(item)}))`;
}

/** Why strangers are not told it at open encounters. */
export const WITHHELD = ['no', 'asset', 'encounter'] as const;

export const withheldFor = (alias: string, privacy: PrivacySettings): Sql =>
  sql`case when not ${isNotPrivate(alias)} then 'asset' when not ${isTold(alias, privacy)} then 'encounter' else 'no' end`;

/** The encounters that are not open with the bytes of the asset with this row ID. */
export const hidingEncounters = (asset: Sql): Sql =>
  sql`select g.encounter as id, g.encounter as place from assets y join assets x on x.sha_256 = y.sha_256
    join encounters_assets_lnk l on l.asset_id = x.id join oms_generalized g on g.encounter = l.encounter_id
    where y.id = ${asset}`;
