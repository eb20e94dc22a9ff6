/** What others have changed: for the first page of the panel. */
import type { Core } from '@strapi/strapi';
import { originOf, type Caller } from '../../core/caller';
import { databaseOf, registryOf } from '../../plugins/objects/server';
import type { Database } from '../../plugins/objects/server/database/database';
import { join, raw, sql, type Sql } from '../../plugins/objects/server/database/sql';
import type { Row } from '../../plugins/objects/server/database/work';
import type { Resource } from '../../plugins/objects/server/declare/completed';
import { summaries } from '../../plugins/objects/server/read/include';
import type { Model } from '../../plugins/objects/server/read/model';
import type { ChangedLately, ChangedRecord, ChangedRecords } from '../../plugins/panel/shared/home';

/** Entries of the history that are looked at, the newest first: an import makes as many as it has rows. */
const MAX_EXAMINED = 5000;

/** Records that are named. */
const MAX_NAMED = 10;

/** Milliseconds for which it is told that an approved encounter was changed. */
const AFTER_APPROVAL = 30 * 24 * 3_600_000;

/** @param since milliseconds since 1970 */
export async function changedLately(
  strapi: Core.Strapi,
  since: number,
  caller: Caller,
  signal: AbortSignal,
): Promise<ChangedLately> {
  const find = async (statement: Sql): Promise<ChangedRecords> => {
    const turn = { origin: originOf(caller), signal };
    return changedRecords(strapi, caller, await databaseOf(strapi).readApart(statement, turn));
  };
  return {
    byOthers: await find(ofOthers(since)),
    afterApproval: await find(afterApproval(Date.now() - AFTER_APPROVAL)),
  };
}

const HEAD = raw('h.type, h.object, h.at, h.action, h.actor_kind, h.actor_id, h.actor_name');

const newest = (condition: Sql): Sql =>
  sql`select * from oms_history where ${condition} order by at desc, seq desc limit ${raw(String(MAX_EXAMINED + 1))}`;

const ofOthers = (since: number): Sql =>
  sql`select ${HEAD} from (${newest(sql`at > ${since}`)}) h order by h.at desc, h.seq desc`;

/** All rows, so that it is known how many were looked at, each with whether it counts. */
const afterApproval = (since: number): Sql => sql`select ${HEAD}, case when h.action = 'update'
      and exists (select 1 from encounters e where e.document_id = h.object and e.state = 'approved')
      and h.seq > (select max(r.seq) from oms_history r
        where r.object = h.object and r.type = h.type and r.action = 'review') then 1 else 0 end
    from (${newest(sql`type = 'encounter' and at > ${since}`)}) h order by h.at desc, h.seq desc`;

/** The records that others have changed, as far as the caller may read the history of all of their type. */
async function changedRecords(
  strapi: Core.Strapi,
  caller: Caller,
  rows: readonly Row[],
): Promise<ChangedRecords> {
  const model = registryOf(strapi).model();
  const found = new Map<string, ChangedRecord>();
  for (const row of rows.slice(0, MAX_EXAMINED)) {
    const [type, object, at, action, kind, actor, name, counts = 1] = row;
    const key = `${String(type)} ${String(object)}`;
    if (found.has(key) || kind === 'system' || action === 'create' || Number(counts) === 0)
      continue;
    const known = seenType(model, caller, String(type));
    if (!known || (actor !== null && actor === caller.id)) continue;
    found.set(key, {
      ...{ type: String(type), uid: known.uid, id: String(object) },
      ...{ exists: false, name: null, taxon: null },
      action: String(action),
      at: new Date(Number(at)).toISOString(),
      by: name === null || name === undefined ? null : String(name),
    });
  }
  const named = [...found.values()].slice(0, MAX_NAMED);
  return {
    records: await withNames(strapi, caller, named),
    count: found.size,
    isAll: rows.length <= MAX_EXAMINED,
  };
}

/** A type of which the caller may read every object, with its history; null for any other. */
function seenType(model: Model, caller: Caller, type: string): Resource | null {
  const known = model.find(type);
  if (!known || known.resource.single !== null) return null;
  const { access } = known.for(caller);
  const isSeen = access.extent('read') === 'all' && access.extent('history') === 'all';
  return isSeen ? known.resource : null;
}

async function withNames(
  strapi: Core.Strapi,
  caller: Caller,
  records: readonly ChangedRecord[],
): Promise<ChangedRecord[]> {
  const wanted = new Map<string, Set<string>>();
  for (const { type, id } of records)
    wanted.set(type, (wanted.get(type) ?? new Set<string>()).add(id));
  const model = registryOf(strapi).model();
  const known = await summaries(model, model.type('encounter').resource, wanted, caller);
  const taxa = await taxaOf(databaseOf(strapi), [...(wanted.get('encounter') ?? [])]);
  return records.map((record) => {
    const summary = known[record.type]?.[record.id];
    const name = summary?.display_name;
    return {
      ...record,
      exists: summary !== undefined,
      name: typeof name === 'string' ? name : null,
      taxon: (record.type === 'encounter' && taxa.get(record.id)) || null,
    };
  });
}

/** The scientific names of the taxa of encounters, by their IDs. */
async function taxaOf(database: Database, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await database.read(
    sql`select e.document_id, t.scientific_name from encounters e join taxonomies t on t.id = e.taxonomy_id
      where e.document_id in (${join(ids.map((id) => sql`${id}`))})`,
  );
  return new Map(rows.map(([id, name]) => [String(id), String(name)]));
}
