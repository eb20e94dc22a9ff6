/** Drops and renews what searches keep of objects. */
import { amongRows } from '../../database/row-ids';
import { sql, type Sql, type SqlValue } from '../../database/sql';
import { ask, tell, type Work } from '../../database/work';
import type { KeptContext } from '../../declare/behavior';
import type { Projection } from './projection';

/** Changes the rows of a projection. */
export interface ProjectedRows {
  readonly drop: (ids: readonly SqlValue[], context: KeptContext, isIndexed: boolean) => Work<void>;
  readonly renew: (
    ids: readonly SqlValue[],
    context: KeptContext,
    isIndexed?: boolean,
  ) => Work<void>;
  /** Drops what is kept of objects that are there no longer. */
  readonly dropGone: (gone: Sql, context: KeptContext, isIndexed: boolean) => Work<void>;
}

export function projectedRows({ kept, rows, names, isMarked, keep }: Projection): ProjectedRows {
  const indexed = { name: kept, isMarked };
  function* dropWords(condition: Sql, { dialect }: KeptContext): Work<void> {
    const words = dialect.words.drop(indexed, sql`${rows} and ${condition}`);
    if (words) yield* ask(words);
  }
  function* drop(ids: readonly SqlValue[], context: KeptContext, isIndexed: boolean): Work<void> {
    const { dialect } = context;
    if (isIndexed) yield* dropWords(sql`id ${amongRows(ids, dialect)}`, context);
    yield* tell(dialect.changeRows(sql`delete ${rows} and id`, ids));
    if (names) yield* tell(dialect.changeRows(sql`delete ${names} and id`, ids));
  }
  return {
    drop,
    *renew(ids, context, isIndexed = true) {
      if (ids.length === 0) return;
      yield* drop(ids, context, isIndexed);
      yield* keep(ids, context, isIndexed);
    },
    *dropGone(gone, context, isIndexed) {
      if (isIndexed) yield* dropWords(gone, context);
      yield* ask(sql`delete ${rows} and ${gone}`);
      if (names) yield* ask(sql`delete ${names} and ${gone}`);
    },
  };
}
