/**
 * The history of each object: an entry for each of its versions, from the first one to the present one. What does not move
 * the version, such as a request to join an org, has one more of the same version.
 */
import type { Dialect } from '../../plugins/objects/server/database/database';
import { amongRows } from '../../plugins/objects/server/database/row-ids';
import { raw, sql, type SqlValue } from '../../plugins/objects/server/database/sql';
import { ask, type Work } from '../../plugins/objects/server/database/work';
import type { Resource, Resources } from '../../plugins/objects/server/declare/completed';
import type { DatabaseBeside } from '../beside';
import type { FaultFound, Probe } from './probe';
import { carriedOut, inSlices } from './reading';

/** Objects of one statement. */
const SLICE = 2000;

export const historyProbes = (
  resources: Resources,
  beside: DatabaseBeside,
  dialect: Dialect,
): Probe[] => [...resources.values()].map((resource) => historyProbe(resource, beside, dialect));

function historyProbe({ type, table }: Resource, beside: DatabaseBeside, dialect: Dialect): Probe {
  function* look(ids: readonly SqlValue[]): Work<FaultFound[]> {
    if (ids.length === 0) return [];
    const some = amongRows(ids, dialect);
    const rows = yield* ask(
      sql`select o.id, o.document_id, o.version, h.versions, h.last from ${raw(`${table} o`)}
        left join (select h.object, count(distinct h.version) as versions,
            min(h.version) as first, max(h.version) as last from oms_history h
          where h.type = ${type} and h.object ${dialect.among(sql`select d.document_id from ${raw(`${table} d`)} where d.id ${some}`)}
          group by h.object) h on h.object = o.document_id
        where o.id ${some} and (h.object is null or h.first <> 1 or h.last <> o.version
          or h.versions <> o.version)`,
    );
    return rows.map(([key = null, id, version, versions, last]) => ({
      key,
      name: `${type} ${String(id)} (version ${String(version)}, entries of ${Number(versions ?? 0)} up to ${Number(last ?? 0)})`,
    }));
  }
  return {
    kind: 'history',
    find: () => inSlices(beside, table, SLICE, look),
    again: (found) => carriedOut(beside, () => look(found.map(({ key }) => key))),
  };
}
