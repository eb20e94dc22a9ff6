import type BetterSqlite3 from 'better-sqlite3';
import { MAX_PREPARED } from './database';
import type { Statement } from './sql';
import { MAX_RECENT, PreparedStatements, rowsOf, rowsOfEach } from './sqlite-prepared';
import { isSeveral, type StatementRows, type Rows, type Step } from './work';

/** What a connection keeps prepared. */
interface Prepared {
  /** Statements whose texts depend on no request. */
  readonly fixed: PreparedStatements;
  readonly adHoc: PreparedStatements;
}

/** Runs statements, which each connection keeps prepared. */
export class SqliteStatements {
  private readonly prepared = new WeakMap<BetterSqlite3.Database, Prepared>();
  /** The number of statements whose texts depend on no request that a connection keeps prepared. */
  mostPrepared = 0;

  answer(handle: BetterSqlite3.Database, step: Step): StatementRows {
    return isSeveral(step)
      ? step.several.map((statement) => this.run(handle, statement))
      : this.run(handle, step);
  }

  run(handle: BetterSqlite3.Database, given: Statement): Rows {
    const { fixed, adHoc } = this.preparedBy(handle);
    const prepared = (given.isAdHoc ? adHoc : fixed).prepare(given.sql.sqlite);
    this.mostPrepared = Math.max(this.mostPrepared, fixed.size);
    return given.each ? rowsOfEach(prepared, given.each, given) : rowsOf(prepared, given.values);
  }

  private preparedBy(handle: BetterSqlite3.Database): Prepared {
    const known = this.prepared.get(handle);
    if (known) return known;
    const made = {
      fixed: new PreparedStatements(handle, MAX_PREPARED),
      adHoc: new PreparedStatements(handle, MAX_RECENT),
    };
    this.prepared.set(handle, made);
    return made;
  }
}
