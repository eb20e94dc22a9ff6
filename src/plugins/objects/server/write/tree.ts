/** References by which objects of one type make a tree. */
import { issue, type Issue } from '../../../wire/server/errors';
import { ask, type SqlValue, type Work } from '../database/work';
import type { Field } from '../define/resource';
import type { WriteContext } from './context';

/** What ends a walk that goes in a circle, which no writer makes but somebody with SQL may. */
const MAX_DEPTH = 100_000;

/** The values of a column from an object up to the root, its own first. */
export function* upwards(
  { model, asked }: WriteContext,
  type: string,
  id: string,
  along: string,
  name: string,
): Work<readonly SqlValue[]> {
  const question = [type, id, along, name].join(' ');
  const known = asked.line(question);
  if (known) return known;
  const { resource } = model.type(type);
  const step = resource.fields.get(along)?.columns[0];
  const column = resource.fields.get(name)?.columns[0];
  if (step === undefined || column === undefined)
    throw new RangeError(`${type}: ${along}, ${name}`);
  const rows = yield* ask(
    `with recursive up(parent, value, depth) as (
       select o.${step}, o.${column}, 0 from ${resource.table} o where o.document_id = ?
       union all
       select o.${step}, o.${column}, up.depth + 1 from ${resource.table} o join up on o.id = up.parent
       where up.depth < ${MAX_DEPTH}
     ) select value from up order by depth`,
    [id],
  );
  const line = rows.map(([value]) => value ?? null);
  asked.remember(question, line);
  return line;
}

/** Whether an object would come to stand above itself. One change of a tree at a time. */
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
    const line = yield* upwards(context, type, above, field.name, 'id');
    if (line.includes(id)) issues.push(issue(field.name, 'CONFLICT', { with: 'id' }));
  }
  return issues;
}
