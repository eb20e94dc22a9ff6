/** Removes what is no longer used: files without a row, assets without a use, expired claims. */
import { service } from '../../../core/caller';
import { errorText } from '../../../core/start-error';
import type { Database } from '../../objects/server/database/database';
import { raw, sql } from '../../objects/server/database/sql';
import { ask, askOne } from '../../objects/server/database/work';
import type { JobRun } from '../../objects/server/jobs/job';
import { dropClaims, sweepClaims } from '../../objects/server/write/claims';
import type { Model } from '../../objects/server/read/model';
import type { Objects } from '../../objects/server/types';
import type { Assets } from './assets';
import { dueFiles, GRACE, postponeFiles } from './ledger';
import { isUsed } from './uses';

/** Milliseconds after which an unused asset is deleted. */
export const LOOSE_FOR = 7 * 24 * 60 * 60_000;

/** The number of assets that one statement checks. */
const CHUNK = 1000;

interface Parts {
  readonly objects: Objects;
  readonly database: Database;
  readonly model: Model;
  readonly assets: Assets;
  readonly report: (message: string) => void;
}

/** The number of files that cannot be removed after which the storage counts as unavailable. */
const MAX_FAILURES = 10;

/** Removes the files that are due; a removal that fails is due again in an hour. */
export async function sweepFiles(
  { database, assets, report }: Parts,
  now: number,
  { signal, progress }: JobRun,
): Promise<void> {
  let [failures, done] = [0, 0];
  for (;;) {
    const due = await database.read(dueFiles(now));
    for (const [name] of due) {
      if (signal.aborted) return;
      const files = String(name);
      try {
        await assets.removeFiles(files);
      } catch (error) {
        report(`the files ${files} cannot be removed: ${errorText(error)}`);
        await database.write(() => postponeFiles(files, now + GRACE));
        failures += 1;
        if (failures === MAX_FAILURES) return;
      }
      progress((done += 1));
    }
    if (due.length === 0) return;
  }
}

/** Records the assets that nothing uses, and deletes those that were recorded long ago. */
export async function sweepLoose(
  parts: Parts,
  now: number,
  { signal, progress }: JobRun,
): Promise<void> {
  const { database, model } = parts;
  await database.write(() => sweepClaims(now));
  const { referrers, resource } = model.type('asset');
  const table = raw(resource.table);
  const used = isUsed(referrers, 'o');
  const [[total] = []] = await database.read(sql`select count(*) from ${table}`);
  let [last, done] = [0, 0];
  while (!signal.aborted) {
    const rows = await database.read(
      sql`select o.id, o.document_id, case when ${used} then 1 else 0 end, n.since
        from ${table} o left join oms_loose_assets n on n.asset = o.document_id
        where o.id > ${last} order by o.id limit ${raw(String(CHUNK))}`,
    );
    const known = rows.map(([, id, isUsedNow, since]) => ({
      id: String(id),
      isLoose: Number(isUsedNow) === 0,
      since: since === null || since === undefined ? null : Number(since),
    }));
    await note(database, known, now);
    for (const { id, isLoose, since } of known)
      if (isLoose && since !== null && since <= now - LOOSE_FOR) await remove(parts, id);
    progress((done += rows.length), Number(total));
    if (rows.length < CHUNK) break;
    last = Number(rows.at(-1)?.[0]);
  }
  await database.write(() =>
    ask(
      sql`delete from oms_loose_assets where not exists (select 1 from ${table} o where o.document_id = oms_loose_assets.asset)`,
    ),
  );
}

interface Known {
  readonly id: string;
  readonly isLoose: boolean;
  readonly since: number | null;
}

async function note(database: Database, known: readonly Known[], now: number): Promise<void> {
  const fresh = known.filter(({ isLoose, since }) => isLoose && since === null);
  const used = known.filter(({ isLoose, since }) => !isLoose && since !== null);
  if (fresh.length + used.length === 0) return;
  const listed = (some: readonly Known[]) =>
    database.dialect.jsonItems(sql`${JSON.stringify(some.map(({ id }) => id))}`);
  await database.write(function* () {
    yield* ask(
      sql`insert into oms_loose_assets (asset, since) select j.value, ${now} from ${listed(fresh)}
        where true on conflict (asset) do nothing`,
    );
    yield* ask(
      sql`delete from oms_loose_assets where asset in (select j.value from ${listed(used)})`,
    );
  });
}

/** Deletes an asset if it is still unused, under a lock so that nothing can refer to it meanwhile. */
async function remove({ objects, database, model }: Parts, id: string): Promise<void> {
  const { referrers, resource } = model.type('asset');
  const table = raw(resource.table);
  await objects.transact(service, function* (apply) {
    yield* ask(
      sql`select 1 from ${table} o where o.document_id = ${id}${database.dialect.forUpdate('o')}`,
    );
    const loose = yield* askOne(
      sql`select 1 from ${table} o where o.document_id = ${id} and not (${isUsed(referrers, 'o')})`,
    );
    if (!loose) return;
    yield* apply({ op: 'delete', type: 'asset', id });
    yield* dropClaims(id);
  });
}
