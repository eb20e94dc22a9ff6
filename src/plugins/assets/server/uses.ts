/** The uses of assets: the fields that refer to them, and those that are not fields. */
import { raw, sql, type Sql } from '../../objects/server/database/sql';
import type { Referrer } from '../../objects/server/declare/completed';
import type { Relation } from '../../objects/server/declare/relations';

/**
 * Whether `media` of the site settings, an object that holds paths of assets, has the asset with this ID. It is no
 * reference of a field: such an asset can be read by anyone, is kept, and cannot be deleted.
 */
export const isSiteMedia = (id: Sql): Sql =>
  sql`exists (select 1 from site_settings s where cast(s.media as text) like '%/' || ${id} || '/file%')`;

/** Whether a field refers to the row of this alias. */
function isReferredTo({ resource, field }: Referrer, alias: string): Sql {
  const { link } = field;
  return link
    ? sql`exists (select 1 from ${raw(link.table)} l where ${raw(`l.${link.target} = ${alias}.id`)})`
    : sql`exists (select 1 from ${raw(resource.table)} r where ${raw(`r.${field.columns[0]} = ${alias}.id`)})`;
}

/** Whether something uses the row of this alias. */
export function isUsed(referrers: readonly Referrer[], alias: string): Sql {
  const all = [
    ...referrers.map((referrer) => isReferredTo(referrer, alias)),
    isSiteMedia(raw(`${alias}.document_id`)),
  ];
  return all.reduce((some, one) => sql`${some} or ${one}`, raw('1 = 0'));
}

/** An asset that is part of what this instance shows of itself, to anyone. */
export const usedElsewhere: Relation = (scope) => isSiteMedia(scope.column('id'));
