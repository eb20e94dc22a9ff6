/** Fills the version of a projection that the code declares, has searches read it, and removes what nobody reads any more. */
import type { Dialect } from '../../../database/database';
import { raw, sql } from '../../../database/sql';
import { ask, askOne, type Work } from '../../../database/work';
import type { Kept, KeptContext } from '../../../declare/behavior';
import type { Filling } from '../rebuild';
import { removeVersion } from './register';
import { isVersion, versionOf, VERSIONS } from './stored';

/** Milliseconds for which a version is written that nobody reads any more, for servers that do not know yet. */
const GRACE = 30_000;

interface Named {
  readonly type: string;
  readonly hash: string;
}

/** Does a part of what a start has left to be done; its position is stored in the same transaction. */
export const building = (named: Named, { next: nextPart }: Filling): NonNullable<Kept['later']> =>
  function* (context: KeptContext, most: number) {
    const { dialect } = context;
    // Held, so that one server at a time does a part; writers hold it in a way that goes together with this.
    const row = yield* askOne(
      sql`select position from oms_projections
        where ${isVersion(named)} and state = 'building'${dialect.forNoKeyUpdate}`,
    );
    if (!row) return yield* removeRetired(named.type, dialect);
    const next = yield* nextPart(Number(row[0]), context, most);
    if (next === null) yield* activate(named, dialect);
    else yield* ask(sql`update oms_projections set position = ${next} where ${isVersion(named)}`);
    return true;
  };

/** Searches read the version from now on: nothing of it is missing. */
export function* activate(named: Named, { clock }: Dialect): Work<void> {
  yield* ask(sql`update oms_projections set state = 'retired', since = ${clock}
    where type = ${named.type} and state = 'active' and hash <> ${named.hash}`);
  yield* ask(sql`update oms_projections set state = 'active', position = null, since = ${clock}
    where ${isVersion(named)} and state = 'building'`);
}

/**
 * Does a part of the removal of a version. A writer that still knows it holds its row, and is waited for.
 *
 * @returns whether there was one
 */
function* removeRetired(type: string, dialect: Dialect): Work<boolean> {
  const due = sql`state = 'retired' and since <= ${dialect.clock} - ${raw(String(GRACE))}`;
  const all = (yield* ask(VERSIONS)).map(versionOf);
  const found = yield* ask(sql`select hash from oms_projections where type = ${type} and ${due}`);
  const version = all.find((one) => one.type === type && one.hash === found[0]?.[0]);
  if (!version) return false;
  const { spareIndex } = dialect.searchTables;
  const [index] = spareIndex ? yield* ask(spareIndex(version.table)) : [];
  if (index) yield* ask(raw(`drop index ${String(index[0])}`));
  else yield* removeVersion(version, dialect);
  return true;
}
