/** References that form a tree of objects of one type. */
import { issue, type Issue } from '../../../../core/errors';
import { raw, sql, type SqlValue } from '../database/sql';
import { ask, type Work } from '../database/work';
import type { Field } from '../declare/completed';
import type { WriteContext } from './context';

/** Ends on a cycle, which the writer prevents but direct SQL could make. */
const MAX_DEPTH = 100_000;

/** The IDs from an object up to the root, its own first. */
function* ancestorsOf(
  { model, references }: WriteContext,
  type: string,
  id: string,
  { name, columns }: Field,
): Work<readonly SqlValue[]> {
  const question = [type, id, name].join(' ');
  const known = references.line(question);
  if (known) return known;
  const table = raw(model.type(type).resource.table);
  const parent = raw(`o.${columns[0]}`);
  const rows = yield* ask(
    sql`with recursive up(parent, value, depth) as (
       select ${parent}, o.document_id, 0 from ${table} o where o.document_id = ${id}
       union all
       select ${parent}, o.document_id, up.depth + 1 from ${table} o join up on o.id = up.parent
       where up.depth < ${raw(String(MAX_DEPTH))}
     ) select value from up order by depth`,
  );
  const line = rows.map(([value]) => value ?? null);
  references.putLine(question, line);
  return line;
}

/** Whether an object would become its own ancestor. Takes a lock, so that one transaction at a time changes trees. */
export function* checkTrees(
  context: WriteContext,
  type: string,
  id: string,
  fields: readonly Field[],
  after: Readonly<Record<string, unknown>>,
): Work<Issue[]> {
  const issues: Issue[] = [];
  for (const field of fields.filter((candidate) => candidate.tree)) {
    const above = after[field.name];
    if (typeof above !== 'string') continue;
    const lock = context.model.database.dialect.lock('trees');
    if (lock !== null) yield* ask(lock);
    const line = yield* ancestorsOf(context, type, above, field);
    if (line.includes(id)) issues.push(issue(field.name, 'CONFLICT', { with: 'id' }));
  }
  return issues;
}
