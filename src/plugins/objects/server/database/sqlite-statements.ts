import type BetterSqlite3 from 'better-sqlite3';
import { MAX_PREPARED } from './database';
import type { Statement } from './sql';
import { prepare, RecentStatements, rowsOf, rowsOfEach } from './sqlite-prepared';
import { isSeveral, type Answer, type Rows, type Step } from './work';

/** What a connection keeps prepared. */
interface Prepared {
  /** Statements whose texts are known from the start. */
  readonly fixed: Map<string, BetterSqlite3.Statement>;
  readonly recent: RecentStatements;
}

/** Runs statements, each of which is prepared once per connection; of those of requests the last ones stay prepared. */
export class SqliteStatements {
  private readonly prepared = new WeakMap<BetterSqlite3.Database, Prepared>();
  /** The number of statements with a text of their own that a connection keeps prepared. */
  mostPrepared = 0;

  answer(handle: BetterSqlite3.Database, step: Step): Answer {
    return isSeveral(step)
      ? step.several.map((statement) => this.run(handle, statement))
      : this.run(handle, step);
  }

  run(handle: BetterSqlite3.Database, given: Statement): Rows {
    const { fixed, recent } = this.preparedBy(handle);
    const text = given.sql.sqlite;
    const prepared = given.isAdHoc ? recent.prepare(text) : this.prepare(handle, fixed, text);
    return given.each ? rowsOfEach(prepared, given.each, given) : rowsOf(prepared, given.values);
  }

  private preparedBy(handle: BetterSqlite3.Database): Prepared {
    const known = this.prepared.get(handle);
    if (known) return known;
    const made = { fixed: new Map(), recent: new RecentStatements(handle) };
    this.prepared.set(handle, made);
    return made;
  }

  private prepare(
    handle: BetterSqlite3.Database,
    fixed: Prepared['fixed'],
    text: string,
  ): BetterSqlite3.Statement {
    const known = fixed.get(text);
    if (known) return known;
    const made = prepare(handle, text);
    if (fixed.size >= MAX_PREPARED) fixed.clear();
    fixed.set(text, made);
    this.mostPrepared = Math.max(this.mostPrepared, fixed.size);
    return made;
  }
}
