/** What a change of the site's privacy would hide from visitors, or show them: before it is saved. */
import type { Core } from '@strapi/strapi';
import type { Turn } from '../../plugins/objects/server/database/database';
import { ALWAYS, NEVER, raw, sql, type Sql } from '../../plugins/objects/server/database/sql';
import { databaseOf, siteOf } from '../../plugins/objects/server';
import type { SiteSettings } from '../../plugins/objects/server/site/settings';
import type { HiddenChange, ProposedPrivacy } from '../../plugins/panel/shared/hidden-now';
import { storedLevel } from './privacy';

/** Whether visitors are told an encounter as it is stored, and who reported it. @param level the column with its level */
const toldBy = ({ readers, showOwnerWhenHidden }: SiteSettings, level: string) => {
  if (readers !== 'anyone') return { record: NEVER, owner: NEVER };
  return {
    record: raw(`${level} = 0`),
    owner: raw(`(${level} = 0 or (${level} = 1 and ${showOwnerWhenHidden ? '1 = 1' : '1 = 0'}))`),
  };
};

const number = (condition: Sql): Sql =>
  sql`coalesce(sum(case when ${condition} then 1 else 0 end), 0)`;

/** Of what visitors may be told: approved encounters. Looks at all of them, apart from reads. */
export async function hiddenChange(
  strapi: Core.Strapi,
  proposed: ProposedPrivacy,
  signal: AbortSignal,
): Promise<HiddenChange> {
  const database = databaseOf(strapi);
  const turn: Turn = { origin: 'hidden-now', signal };
  const site = siteOf(strapi).current();
  const next: SiteSettings = { ...site, ...proposed };
  const [now, then] = [toldBy(site, 'q.now'), toldBy(next, 'q.later')];
  const persons = raw(`(e.owner_id is not null
    or exists (select 1 from encounters_organizations_lnk l where l.encounter_id = e.id))`);
  const [encounters = []] = await database.readApart(
    sql`select ${number(sql`${now.record} and not (${then.record})`)},
        ${number(sql`${then.record} and not (${now.record})`)},
        ${number(sql`q.persons and ${now.owner} and not (${then.owner})`)},
        ${number(sql`q.persons and ${then.owner} and not (${now.owner})`)},
        ${number(site.tellHidden === 'monthly' && next.tellHidden === 'at_once' ? raw('q.untold and q.later > 0') : NEVER)}
      from (select ${storedLevel('e', site)} as now, ${storedLevel('e', next)} as later, ${persons} as persons,
        e.untold_since is not null as untold from encounters e where e.state = 'approved') q`,
    turn,
  );
  const [photographs = []] = await database.readApart(
    sql`select count(distinct l.asset_id) from oms_generalized g
      join encounters e on e.id = g.encounter join encounters_assets_lnk l on l.encounter_id = e.id
      where e.state = 'approved' and ${next.readers === 'anyone' ? ALWAYS : NEVER}`,
    turn,
  );
  const [hides = 0, shows = 0, hidesOwners = 0, showsOwners = 0, tells = 0] =
    encounters.map(Number);
  const ofHidden = Number(photographs[0] ?? 0);
  const [tellsNow, tellsThen] = [site.hiddenTells !== 'place', next.hiddenTells !== 'place'];
  return {
    ...{ hides, shows, hidesOwners, showsOwners, tells },
    hidesPhotographs: tellsNow && !tellsThen ? ofHidden : 0,
    showsPhotographs: tellsThen && !tellsNow ? ofHidden : 0,
  };
}
