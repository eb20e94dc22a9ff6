/** What waits for a review, by its authors: for the first page of the panel. */
import type { Core } from '@strapi/strapi';
import { originOf, type Caller } from '../../core/caller';
import { databaseOf, registryOf } from '../../plugins/objects/server';
import { raw, sql, type Sql } from '../../plugins/objects/server/database/sql';
import { summaries } from '../../plugins/objects/server/read/include';
import { AUDIENCE } from '../../plugins/objects/server/search/projection/keys';
import type { WaitingNow } from '../../plugins/panel/shared/home';

/** Authors that are named. */
const MAX_AUTHORS = 8;

/**
 * The row of each waiting encounter for who sees it exactly, in the partition that has it: an index is used by the condition
 * that it has itself (`search/conditions/partitions.ts`).
 */
const { everybody, insiders } = AUDIENCE;
const pendingIn = (table: string): Sql =>
  raw(`select owner_id, document_id from ${table}
    where state = 'pending' and audience < ${insiders} and audience in (${everybody})
  union all select owner_id, document_id from ${table}
    where state = 'pending' and audience >= ${insiders}`);

/** Found by the indexes of states that searches use: the cost depends on what waits alone. */
export async function waitingNow(
  strapi: Core.Strapi,
  caller: Caller,
  signal: AbortSignal,
): Promise<WaitingNow> {
  const table = registryOf(strapi).projections().tableWith('encounter', ['owner', 'state']);
  const rows = await databaseOf(strapi).readApart(
    sql`select u.document_id, count(*), count(m.encounter) from (${pendingIn(table)}) s
      left join up_users u on u.id = s.owner_id
      left join oms_second_looks m on m.encounter = s.document_id
      group by u.document_id order by count(*) desc, u.document_id`,
    { origin: originOf(caller), signal },
  );
  const found = rows.map(([id, count, marked]) => ({
    id: id === null ? null : String(id),
    count: Number(count),
    marked: Number(marked),
  }));
  const named = found.slice(0, MAX_AUTHORS);
  const model = registryOf(strapi).model();
  const { resource } = model.type('encounter');
  const wanted = new Map([['user', new Set(named.flatMap(({ id }) => id ?? []))]]);
  const { user = {} } = await summaries(model, resource, wanted, caller);
  const sum = (name: 'count' | 'marked'): number =>
    found.reduce((before, one) => before + one[name], 0);
  return {
    count: sum('count'),
    secondLooks: sum('marked'),
    authors: named.map(({ id, count }) => ({ id, count, name: nameIn(user, id) })),
    furtherAuthors: found.length - named.length,
  };
}

const nameIn = (
  users: Readonly<Record<string, { readonly display_name: unknown }>>,
  id: string | null,
): string | null => {
  const name = id === null ? null : users[id]?.display_name;
  return typeof name === 'string' ? name : null;
};
