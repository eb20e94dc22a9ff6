/** What is kept of objects for reading, compared with what would be computed. */
import { amongRows } from '../../plugins/objects/server/database/row-ids';
import { raw, sql, type Sql, type SqlValue } from '../../plugins/objects/server/database/sql';
import { ask, type Work } from '../../plugins/objects/server/database/work';
import type { KeptCheck } from '../../plugins/objects/server/declare/behavior';
import type { Model } from '../../plugins/objects/server/read/model';
import { ownContext } from '../../plugins/objects/server/write/kept';
import type { DatabaseBeside } from '../beside';
import type { FaultFound, Probe } from './probe';
import { carriedOut, inSlices } from './reading';

/** Objects that are compared at once, and rows of objects that are gone. */
const SLICE = 500;

/** Runs work that changes what is kept, in a transaction of the writer. */
export type Write = (work: () => Work<void>) => Promise<void>;

/** A model of the same database as the one that is read. */
export interface Declared {
  readonly model: Model;
  /** Reads the settings of the site again, which decide over levels. */
  readonly refresh: () => Promise<void>;
}

export function keptProbes(
  declared: Declared,
  beside: DatabaseBeside,
  write: Write | null,
): Probe[] {
  const { model } = declared;
  // In the order in which they are computed: one depends on those before it.
  const checks = [...model.resources.values()].flatMap(({ kept }) =>
    kept.flatMap(({ checks: some }) => some ?? []),
  );
  return checks.flatMap((check) => [
    objectsProbe(check, declared, beside, write),
    ...(check.gone ? [goneProbe(check, check.gone, model, beside, write)] : []),
  ]);
}

const idsOf = (found: readonly FaultFound[]): SqlValue[] => [
  ...new Set(found.map(({ key }) => key)),
];

function objectsProbe(
  check: KeptCheck,
  { model, refresh }: Declared,
  beside: DatabaseBeside,
  write: Write | null,
): Probe {
  const { kind, over, isWhole } = check;
  const { table } = model.type(over).resource;
  const { dialect } = model.database;

  function* look(ids: readonly SqlValue[]): Work<FaultFound[]> {
    const differing = yield* check.differing(ids, ownContext(model));
    if (differing.length === 0) return [];
    const rows = yield* ask(
      sql`select o.id, o.document_id from ${raw(`${table} o`)} where o.id ${amongRows(differing, dialect)} order by o.id`,
    );
    return rows.map(([key = null, id]) => ({ key, name: `${over} ${String(id)}` }));
  }
  const again = async (found: readonly FaultFound[]): Promise<readonly FaultFound[]> => {
    // They may have changed since the first look.
    await refresh();
    const still = await carriedOut(beside, () => look(isWhole ? [] : idsOf(found)));
    if (!isWhole) return still;
    const known = new Set(found.map(({ key }) => Number(key)));
    return still.filter(({ key }) => known.has(Number(key)));
  };
  return {
    kind,
    isKept: true,
    async *find() {
      if (isWhole) yield await carriedOut(beside, () => look([]));
      else yield* inSlices(beside, table, SLICE, look);
    },
    again,
    ...(write
      ? {
          repair: (found: readonly FaultFound[]) =>
            write(() => check.renew(idsOf(found), ownContext(model))),
        }
      : {}),
  };
}

function goneProbe(
  { kind, over }: KeptCheck,
  gone: NonNullable<KeptCheck['gone']>,
  model: Model,
  beside: DatabaseBeside,
  write: Write | null,
): Probe {
  const { dialect } = model.database;
  const find = async (condition: Sql): Promise<FaultFound[]> => {
    const rows = await beside.read(
      sql`with x(id) as (${gone.find}) select distinct x.id from x where ${condition}
        order by x.id limit ${raw(String(SLICE))}`,
    );
    return rows.map(([key = null]) => ({
      key,
      name: `${over} that is gone (row ${String(key)})`,
    }));
  };
  return {
    kind,
    isKept: true,
    async *find() {
      for (let last: SqlValue = -1; last !== null;) {
        const found: FaultFound[] = await find(sql`x.id > ${last}`);
        yield found;
        last = found.length < SLICE ? null : (found.at(-1)?.key ?? null);
      }
    },
    again: (found) => find(sql`x.id ${amongRows(idsOf(found), dialect)}`),
    ...(write ? { repair: () => write(() => gone.drop(ownContext(model))) } : {}),
  };
}
