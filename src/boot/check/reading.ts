/** Carries out work that only reads, beside a service. */
import { raw, sql, type Sql, type SqlValue } from '../../plugins/objects/server/database/sql';
import {
  ask,
  isSeveral,
  type StatementRows,
  type Rows,
  type Work,
} from '../../plugins/objects/server/database/work';
import type { DatabaseBeside } from '../beside';

/** The result of work of which all statements see the same moment. */
export const carriedOut = <T>(beside: DatabaseBeside, work: () => Work<T>): Promise<T> =>
  beside.atOnce(async () => {
    const running = work();
    let step = running.next();
    while (!step.done) {
      const { value } = step;
      let answer: StatementRows;
      if (isSeveral(value)) {
        const all: Rows[] = [];
        for (const one of value.several) all.push(await beside.read(one));
        answer = all;
      } else answer = await beside.read(value);
      step = running.next(answer);
    }
    return step.value;
  });

/** Rows that one statement looks at. */
const STEP = 20_000;

/** A table in parts: the conditions on a column with numbers. */
export async function* slicesOf(
  beside: DatabaseBeside,
  table: string,
  column: string,
  alias: string,
): AsyncGenerator<Sql> {
  const [[first, last] = []] = await beside.read(
    sql`select min(${raw(column)}), max(${raw(column)}) from ${raw(table)}`,
  );
  if (first === null || first === undefined) return;
  const name = raw(`${alias}.${column}`);
  for (let at = Number(first); at <= Number(last); at += STEP)
    yield sql`${name} >= ${at} and ${name} < ${at + STEP}`;
}

type Slice<T> = readonly [ids: readonly SqlValue[], result: T];

/** The IDs of all rows of a table, some at a time, with what else of the same moment is read of them. */
export async function* inSlices<T>(
  beside: DatabaseBeside,
  table: string,
  size: number,
  look: (ids: readonly SqlValue[]) => Work<T>,
): AsyncGenerator<T> {
  for (let last: SqlValue = 0; last !== null;) {
    const after: SqlValue = last;
    const [ids, result]: Slice<T> = await carriedOut(beside, function* (): Work<Slice<T>> {
      const rows = yield* ask(
        sql`select o.id from ${raw(table)} o where o.id > ${after} order by o.id limit ${raw(String(size))}`,
      );
      const found = rows.map(([id = null]) => id);
      return [found, yield* look(found)];
    });
    if (ids.length > 0) yield result;
    last = ids.length < size ? null : (ids.at(-1) ?? null);
  }
}
