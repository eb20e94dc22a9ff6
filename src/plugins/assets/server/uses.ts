/** What uses assets: the fields that refer to them, and what is none of a field. */
import { join, raw, sql, type Sql } from '../../objects/server/database/sql';
import type { Referrer } from '../../objects/server/define/completed';
import type { Relation } from '../../objects/server/rights/relations';
import { SITE_TYPE } from '../../objects/server/site';

/**
 * A use of an asset that is no reference of a field: whether there is one of the asset with this ID, as SQL. Such an
 * asset can be read by anyone, is kept, and cannot be deleted.
 */
export interface FurtherUse {
  /** The type that is told where the asset is in use. */
  readonly type: string;
  readonly uses: (id: Sql) => Sql;
}

/** The site settings, whose `media` hold paths of assets in an object. */
export const FURTHER_USES: readonly FurtherUse[] = [
  {
    type: SITE_TYPE,
    uses: (id) =>
      sql`exists (select 1 from site_settings s where cast(s.media as text) like '%/' || ${id} || '/file%')`,
  },
];

/** Whether a field refers to the row of this alias. */
function isReferredTo({ resource, field }: Referrer, alias: string): Sql {
  const { link } = field;
  return link
    ? sql`exists (select 1 from ${raw(link.table)} l where ${raw(`l.${link.target} = ${alias}.id`)})`
    : sql`exists (select 1 from ${raw(resource.table)} r where ${raw(`r.${field.columns[0]} = ${alias}.id`)})`;
}

/** Whether something uses the row of this alias. */
export function isUsed(referrers: readonly Referrer[], alias: string): Sql {
  const further = FURTHER_USES.map(({ uses }) => uses(raw(`${alias}.document_id`)));
  const all = [...referrers.map((referrer) => isReferredTo(referrer, alias)), ...further];
  return all.reduce((some, one) => sql`${some} or ${one}`, raw('1 = 0'));
}

/** An asset that is part of what this instance shows of itself, to anyone. */
export const usedElsewhere: Relation = (scope) => {
  const uses = FURTHER_USES.map(({ uses }) => uses(scope.column('id')));
  return uses.length === 0 ? null : sql`(${join(uses, ' or ')})`;
};
