/** What a change of the site's privacy would hide from visitors, or show them: before it is saved. */
import type { Core } from '@strapi/strapi';
import type { Database } from '../../plugins/objects/server/database/database';
import { NEVER, raw, sql } from '../../plugins/objects/server/database/sql';
import { databaseOf, siteOf } from '../../plugins/objects/server';
import type { SiteSettings } from '../../plugins/objects/server/site/settings';
import type { HiddenChange, ProposedPrivacy } from '../../plugins/panel/shared/hidden-now';
import { countOf, HAS_PERSONS, turnOf } from './hidden-now';
import { storedLevel } from './privacy';

/** Whether visitors are told an encounter as it is stored, and who reported it. @param level the column with its level */
const toldBy = ({ readers, showOwnerWhenHidden }: SiteSettings, level: string) => {
  if (readers !== 'anyone') return { record: NEVER, owner: NEVER };
  return {
    record: raw(`${level} = 0`),
    owner: raw(`(${level} = 0 or (${level} = 1 and ${showOwnerWhenHidden ? '1 = 1' : '1 = 0'}))`),
  };
};

/** Of what visitors may be told: approved encounters. Looks at all of them, apart from reads. */
export async function hiddenChange(
  strapi: Core.Strapi,
  proposed: ProposedPrivacy,
  signal: AbortSignal,
): Promise<HiddenChange> {
  const database = databaseOf(strapi);
  const site = siteOf(strapi).current();
  const next: SiteSettings = { ...site, ...proposed };
  const [now, then] = [toldBy(site, 'q.now'), toldBy(next, 'q.later')];
  const [encounters = []] = await database.readApart(
    sql`select ${countOf(sql`${now.record} and not (${then.record})`)},
        ${countOf(sql`${then.record} and not (${now.record})`)},
        ${countOf(sql`q.persons and ${now.owner} and not (${then.owner})`)},
        ${countOf(sql`q.persons and ${then.owner} and not (${now.owner})`)},
        ${countOf(site.tellHidden === 'monthly' && next.tellHidden === 'at_once' ? raw('q.untold and q.later > 0') : NEVER)}
      from (select ${storedLevel('e', site)} as now, ${storedLevel('e', next)} as later, ${HAS_PERSONS} as persons,
        e.untold_since is not null as untold from encounters e where e.state = 'approved') q`,
    turnOf(signal),
  );
  const [hides = 0, shows = 0, hidesOwners = 0, showsOwners = 0, tells = 0] =
    encounters.map(Number);
  const [tellsNow, tellsThen] = [site, next].map(({ hiddenTells }) => hiddenTells !== 'place');
  const isMoved = tellsNow !== tellsThen && next.readers === 'anyone';
  const photographs = isMoved ? await photographsOfHidden(database, signal) : 0;
  return {
    ...{ hides, shows, hidesOwners, showsOwners, tells },
    hidesPhotographs: tellsThen ? 0 : photographs,
    showsPhotographs: tellsThen ? photographs : 0,
  };
}

async function photographsOfHidden(database: Database, signal: AbortSignal): Promise<number> {
  const [[count] = []] = await database.readApart(
    sql`select count(distinct l.asset_id) from oms_generalized g
      join encounters e on e.id = g.encounter join encounters_assets_lnk l on l.encounter_id = e.id
      where e.state = 'approved'`,
    turnOf(signal),
  );
  return Number(count);
}
