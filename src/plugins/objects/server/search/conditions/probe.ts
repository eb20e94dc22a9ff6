/** What is asked of the database before a search is planned: several questions in one statement. */
import { join, raw, sql, type Sql } from '../../database/sql';
import type { Row } from '../../database/work';

/** Runs a statement of a search. */
export type Run = (statement: Sql) => Promise<readonly Row[]>;

/** The values that were found, by name. */
export type Answers = ReadonlyMap<string, readonly (string | number)[]>;

export interface Question<T> {
  /** Rows that other questions use, too: parts of a `with`. */
  readonly common?: readonly Sql[];
  /** Each a `select` of names and values. */
  readonly selects: readonly Sql[];
  /** What the rows of all of them say. */
  readonly read: (answers: Answers) => T;
}

/** The rows of questions, whose names differ, by one statement; none where nothing is asked. */
export async function answersTo(
  questions: readonly Question<unknown>[],
  run: Run,
): Promise<Answers> {
  const selects = questions.flatMap((one) => one.selects);
  const answers = new Map<string, (string | number)[]>();
  if (selects.length === 0) return answers;
  const common = questions.flatMap((one) => one.common ?? []);
  const before = common.length === 0 ? raw('') : sql`with ${join(common)} `;
  for (const [name, value] of await run(sql`${before}${join(selects, ' union all ')}`)) {
    const values = answers.get(String(name)) ?? [];
    values.push(value as string | number);
    answers.set(String(name), values);
  }
  return answers;
}
