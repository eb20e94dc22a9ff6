/** What a deletion does to the objects that refer to what is deleted. */
import { fail } from '../../../wire/server/errors';
import { ask, askOne, type SqlValue, type Work } from '../database/work';
import { record } from '../history/record';
import type { Referrer } from '../define/resource';
import type { TypeModel } from '../model';
import type { WriteContext } from './context';

/**
 * Frees an object from all references to it, each a change of the object that refers.
 *
 * @throws WireError IN_USE when one of them may not be emptied
 */
export function* releaseReferrers(
  context: WriteContext,
  { referrers }: TypeModel,
  rowId: SqlValue,
  id: string,
): Work<void> {
  for (const referrer of referrers.filter(({ field }) => field.onDelete === 'restrict')) {
    yield* refuseInUse(referrer, rowId);
  }
  for (const referrer of referrers.filter(({ field }) => field.onDelete === 'clear')) {
    yield* clear(context, referrer, rowId, id);
  }
}

function* refuseInUse({ resource, field }: Referrer, rowId: SqlValue): Work<void> {
  const row = yield* askOne(
    `select cast(count(*) as integer) from ${resource.table} where ${field.columns[0]} = ?`,
    [rowId],
  );
  const count = Number(row?.[0] ?? 0);
  if (count > 0) throw fail('IN_USE', { type: resource.type, count });
}

function* clear(
  { caller, now, newId, model }: WriteContext,
  { resource, field }: Referrer,
  rowId: SqlValue,
  id: string,
): Work<void> {
  const rows = yield* ask(
    `update ${resource.table} set ${field.columns[0]} = null, version = version + 1, updated_at = ?
     where ${field.columns[0]} = ? returning document_id, version`,
    [model.database.dialect.instant(now), rowId],
  );
  for (const [object, version] of rows) {
    const changes = [{ path: field.name, before: id, after: null }];
    yield* record(
      {
        id: newId(),
        type: resource.type,
        object: String(object),
        version: Number(version),
        at: now,
        action: 'update',
        changes,
      },
      caller,
    );
  }
}
