/** What the database does for a search: its statements, and its plan for each. */
import type { Database } from '../../src/plugins/objects/server/database/database';
import {
  sql,
  statementOf,
  type Sql,
  type SqlValue,
  type Statement,
} from '../../src/plugins/objects/server/database/sql';
import type { PlanDescription } from '../../src/plugins/objects/server/search/plan/plan';

/** A statement that a search has run. */
interface Explained {
  /** Beside reads, or apart from them, where it may take long. */
  readonly runs: 'beside reads' | 'apart';
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** A line for each step, indented as the database nests them. */
  readonly plan: readonly string[];
}

/** Runs something, and explains each statement that it reads with. */
export async function explain(
  database: Database,
  work: () => Promise<unknown>,
): Promise<readonly Explained[]> {
  const explained: Explained[] = [];
  for (const { runs, statement } of await recorded(database, work))
    explained.push({
      runs,
      text: database.isShared ? statement.sql.postgres : statement.sql.sqlite,
      values: statement.values,
      plan: await planOf(database, statement),
    });
  return explained;
}

interface Recorded {
  readonly runs: Explained['runs'];
  readonly statement: Statement;
}

/** The statements that are read while something runs. */
async function recorded(
  database: Database,
  work: () => Promise<unknown>,
): Promise<readonly Recorded[]> {
  const statements: Recorded[] = [];
  const own = {
    read: database.read.bind(database),
    readApart: database.readApart.bind(database),
  };
  const note = (runs: Explained['runs'], given: Sql | Statement): void =>
    void statements.push({ runs, statement: statementOf(given) });
  const watched: Pick<Database, 'read' | 'readApart'> = {
    read(given) {
      note('beside reads', given);
      return own.read(given);
    },
    readApart(given, turn) {
      note('apart', given);
      return own.readApart(given, turn);
    },
  };
  Object.assign(database, watched);
  try {
    await work();
  } finally {
    Object.assign(database, own);
  }
  return statements;
}

async function planOf(
  database: Database,
  { sql: text, values }: Statement,
): Promise<readonly string[]> {
  const explain = database.isShared
    ? sql`explain (costs off) ${text}`
    : sql`explain query plan ${text}`;
  const rows = await database.read({ sql: explain, values, isAdHoc: true });
  if (database.isShared) return rows.map(([line]) => String(line));
  // ID, ID of the step that it is a part of, unused, what it does.
  const depths = new Map<unknown, number>();
  return rows.map(([id, parent, , detail]) => {
    const depth = (depths.get(parent) ?? -1) + 1;
    depths.set(id, depth);
    return `${'  '.repeat(depth)}${String(detail)}`;
  });
}

/** A plan as a text, a line for each of its parts. */
export const planText = (plan: PlanDescription): string =>
  Object.entries(plan)
    .map(([part, value]: [string, string | readonly string[]]) => {
      const values = typeof value === 'string' ? [value] : value;
      return `${part}: ${values.join(part === 'page' ? '\n      ' : ', ') || 'none'}`;
    })
    .join('\n');

/** The same as a text. */
export const explainedText = (statements: readonly Explained[]): string =>
  statements
    .map(({ runs, text, values, plan }) =>
      [
        `-- ${runs}`,
        text,
        `-- ${JSON.stringify(values)}`,
        ...plan.map((line) => `   ${line}`),
      ].join('\n'),
    )
    .join('\n\n');
