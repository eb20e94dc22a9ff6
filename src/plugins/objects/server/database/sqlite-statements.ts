import type BetterSqlite3 from 'better-sqlite3';
import { MAX_PREPARED } from './database';
import type { Statement } from './sql';
import { prepare, rowsOf, rowsOfEach } from './sqlite-prepared';
import { isSeveral, type Answer, type Rows, type Step } from './work';

/** Runs statements, each of which is prepared once per connection. */
export class SqliteStatements {
  private readonly prepared = new WeakMap<
    BetterSqlite3.Database,
    Map<string, BetterSqlite3.Statement>
  >();
  /** The number of statements that a connection keeps prepared. */
  mostPrepared = 0;

  answer(handle: BetterSqlite3.Database, step: Step): Answer {
    return isSeveral(step)
      ? step.several.map((statement) => this.run(handle, statement))
      : this.run(handle, step);
  }

  run(handle: BetterSqlite3.Database, given: Statement): Rows {
    const prepared = given.isAdHoc
      ? prepare(handle, given.sql.sqlite)
      : this.prepare(handle, given.sql.sqlite);
    return given.each ? rowsOfEach(prepared, given.each, given) : rowsOf(prepared, given.values);
  }

  /** The prepared statement of a text, cached per connection. */
  private prepare(handle: BetterSqlite3.Database, text: string): BetterSqlite3.Statement {
    let statements = this.prepared.get(handle);
    if (!statements) {
      statements = new Map<string, BetterSqlite3.Statement>();
      this.prepared.set(handle, statements);
    }
    const known = statements.get(text);
    if (known) return known;
    const made = prepare(handle, text);
    if (statements.size >= MAX_PREPARED) statements.clear();
    statements.set(text, made);
    this.mostPrepared = Math.max(this.mostPrepared, statements.size);
    return made;
  }
}
