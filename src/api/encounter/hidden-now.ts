/** What strangers are not told of encounters, in numbers, by the settings of the site that decide over it. */
import type { Core } from '@strapi/strapi';
import type { Turn } from '../../plugins/objects/server/database/database';
import { raw, sql, type Sql } from '../../plugins/objects/server/database/sql';
import { databaseOf, siteOf } from '../../plugins/objects/server';
import type { HiddenNow } from '../../plugins/panel/shared/hidden-now';
import { levelOfEncounter, levelOfIndividual } from './level';
import { storedLevel } from './privacy';

/** Whether the encounter `e` has an owner or orgs. */
export const HAS_PERSONS = raw(`(e.owner_id is not null
  or exists (select 1 from encounters_organizations_lnk l where l.encounter_id = e.id))`);

/** Of how many rows this holds. */
export const countOf = (condition: Sql): Sql =>
  sql`coalesce(sum(case when ${condition} then 1 else 0 end), 0)`;

/**
 * One origin for all callers: each of these counts reads all encounters, and the queue of searches takes the origins in turn, so
 * that searches of others run between two counts.
 */
export const turnOf = (signal: AbortSignal): Turn => ({ origin: 'hidden-now', signal });

/** Counts by the settings as they are now. Looks at all encounters, apart from reads. */
export async function hiddenNow(strapi: Core.Strapi, signal: AbortSignal): Promise<HiddenNow> {
  const database = databaseOf(strapi);
  const turn = turnOf(signal);
  const site = siteOf(strapi).current();
  const level = storedLevel('e', site);
  const identified = storedLevel('e', { ...site, protectUnidentified: false });
  const alone = levelOfEncounter(
    { own: raw('e.location_privacy'), taxon: raw('e.taxonomy_id'), protectedAs: raw('null') },
    { ...site, protectUnidentified: false },
  );
  const [encounters = []] = await database.readApart(
    sql`select count(*), ${countOf(raw('q.level > 0'))}, ${countOf(raw('q.identified > 0 and q.alone = 0'))},
        ${countOf(raw('q.level > 0 and q.identified = 0'))}, ${countOf(raw(`q.level > ${site.showOwnerWhenHidden ? 1 : 0} and q.persons`))},
        ${countOf(raw('q.level > 0 and q.untold'))}
      from (select ${level} as level, ${identified} as identified, ${alone} as alone,
        ${HAS_PERSONS} as persons, e.untold_since is not null as untold from encounters e) q`,
    turn,
  );
  const [photographs = []] = await database.readApart(
    sql`select
        (select count(distinct l.asset_id) from oms_generalized g
          join encounters_assets_lnk l on l.encounter_id = g.encounter),
        (select count(distinct l.asset_id) from assets x join encounters_assets_lnk l on l.asset_id = x.id
          where x.level <> 'open' and not exists
            (select 1 from oms_generalized g where g.encounter = l.encounter_id)),
        (select count(*) from oms_privacy_jobs),
        (select count(*) from individuals i where i.untold_since is not null
          and ${levelOfIndividual(raw('i.taxonomy_id'), site)} > 0)`,
    turn,
  );
  const [all = 0, hidden = 0, byIndividual = 0, unidentified = 0, ownerHidden = 0, untold = 0] =
    encounters.map(Number);
  const [ofHidden = 0, withheld = 0, jobs = 0, untoldIndividuals = 0] = photographs.map(Number);
  return {
    encounters: all,
    hidden,
    byIndividual,
    unidentified,
    ownerHidden,
    untold,
    untoldIndividuals,
    photographs: site.hiddenTells === 'place' ? ofHidden : 0,
    withheld,
    isUnderWay: jobs > 0,
  };
}

/** The same for an operator, in lines. */
export function hiddenLines(counted: HiddenNow): string[] {
  const { encounters, hidden, byIndividual, unidentified } = counted;
  const { ownerHidden, untold, untoldIndividuals, photographs, withheld, isUnderWay } = counted;
  const lines: [number, string][] = [
    [byIndividual, 'are protected through their individual alone'],
    [unidentified, 'may be of a protected taxon (setting protect_unidentified)'],
    [ownerHidden, 'do not tell their owner and orgs (setting show_owner_when_hidden)'],
    [untold, 'are not told at all before the first of a month or year (setting tell_hidden)'],
  ];
  return [
    `Strangers are not told ${hidden} of ${encounters} encounters as they are stored.`,
    ...lines.map(([count, what]) => `Of these, ${count} ${what}.`),
    `Of their photographs, ${photographs} are not told (setting hidden_tells);` +
      ` ${withheld} are told at no open encounter either, as they show an animal that is hidden.`,
    `Of individuals, ${untoldIndividuals} are not told before then.`,
    ...(isUnderWay ? ['The levels of encounters are still being computed anew.'] : []),
  ];
}
