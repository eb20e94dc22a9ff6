import { issue, malformed } from '../../core/errors';
import { sql } from '../../plugins/objects/server/database/sql';
import { ask } from '../../plugins/objects/server/database/work';
import type { Consequence } from '../../plugins/objects/server/declare/behavior';
import { idIn } from '../../plugins/objects/server/kinds/path';
import type { Body } from '../../plugins/objects/server/declare/objects';

/**
 * The assets of new `media` cannot be deleted until the transaction ends, and after that are in use.
 *
 * @throws ApiError NO_SUCH at the name of one that was deleted since the preparation found it
 */
export const keepMedia: Consequence = function* ({ before, after }, { dialect }) {
  const known = (before?.['media'] ?? {}) as Body;
  const fresh = Object.entries((after?.['media'] ?? {}) as Body).flatMap(([name, path]) =>
    known[name] === path ? [] : [{ name, id: idIn(String(path)) }],
  );
  if (fresh.length === 0) return;
  const ids = dialect.jsonItems(sql`${JSON.stringify(fresh.map(({ id }) => id))}`);
  const rows = yield* ask(
    sql`select document_id from assets where document_id in (select j.value from ${ids})${dialect.forKeyShare}`,
  );
  const kept = new Set(rows.map(([id]) => String(id)));
  const missing = fresh.filter(({ id }) => !kept.has(id));
  if (missing.length > 0)
    throw malformed(
      missing.map(({ name }) => issue(`media.${name}`, 'NO_SUCH', { type: 'asset' })),
    );
};
