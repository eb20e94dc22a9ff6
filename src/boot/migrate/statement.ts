/** Statements as an operator reads them: without values, so that no data of persons is told. */

/** What a statement does: changes rows, changes tables, only reads, or belongs to a transaction or a connection. */
export type StatementKind = 'rows' | 'tables' | 'read' | 'control';

const KINDS: readonly (readonly [RegExp, StatementKind])[] = [
  [/^(?:insert|update|delete|replace)\b/i, 'rows'],
  // One that changes rows may begin with what it selects.
  [/^with\b.*\b(?:insert into|update|delete from)\b/is, 'rows'],
  [/^(?:select|with|values|explain|show|pragma)\b/i, 'read'],
  [/^(?:begin|commit|rollback|savepoint|release|set|analyze|lock)\b/i, 'control'],
];

export const ranOf = (sql: string): StatementKind =>
  KINDS.find(([begins]) => begins.test(sql.trimStart()))?.[1] ?? 'tables';

/**
 * The text of a statement in one line, the same for all its runs: values are `?`, lists of values are cut short, and so are
 * numbers that are too long for anything but an ID or a key.
 */
export const statementText = (sql: string): string =>
  sql
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/\$\d+/g, '?')
    .replace(/\b\d{10,}\b/g, '?')
    .replace(/\?(?:, ?\?)+/g, '?, …')
    .replace(/(\([^()]*\))(?:, ?\1)+/g, '$1, …')
    .replace(/(select \?[^()]*?)(?: union all \1)+/gi, '$1 union all …')
    .replace(/(_knex_temp_alter)\d+/g, '$1');

interface SqliteRun {
  readonly changes: number;
}

interface PostgresResult {
  readonly rowCount: number | null;
}

/** The rows that a statement has changed, by what the driver has answered. */
export function changedRows(response: unknown): number {
  if (Array.isArray(response))
    // Several statements on PostgreSQL, or what a statement on SQLite returns of each row.
    return response.reduce<number>(
      (sum, one: unknown) => sum + (isResult(one) ? (one.rowCount ?? 0) : 1),
      0,
    );
  if (isResult(response)) return response.rowCount ?? 0;
  return (response as Partial<SqliteRun> | undefined)?.changes ?? 0;
}

const isResult = (value: unknown): value is PostgresResult =>
  typeof value === 'object' && value !== null && 'rowCount' in value && 'command' in value;
