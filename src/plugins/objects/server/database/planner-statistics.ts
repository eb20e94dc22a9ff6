import type { Dialect } from './database';
import { ask, type Work } from './work';

/** Gathers the statistics of a table, of which most has changed, where the database plans by them. */
export function* takeStatistics(table: string, dialect: Dialect): Work<void> {
  const analyze = dialect.analyze(table);
  if (analyze) yield* ask(analyze);
}
