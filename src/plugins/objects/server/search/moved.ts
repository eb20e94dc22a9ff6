/** Follows references that were changed alone, by a merge or a deletion of what they refer to, without making rows anew. */
import { amongRows } from '../database/row-ids';
import { join, raw, sql, type SqlValue } from '../database/sql';
import { ask, type Work } from '../database/work';
import type { Affected, KeptContext } from '../define/behavior';
import type { Field, Resource } from '../define/completed';
import type { SearchTable } from '../define/declaration';
import { WITHOUT_CLAIM } from '../rights/relations';
import { namingFields, referenceTokenSql } from './texts';

/** The references that a table made for searches has as they are, and that decide over no view of an object. */
export function movableFields(
  resource: Resource,
  { fields: names }: SearchTable,
): ReadonlyMap<string, Field> {
  const used = new Set<string>();
  resource.views?.others({
    ...WITHOUT_CLAIM,
    column(name) {
      used.add(name);
      return raw('null');
    },
  });
  const fields = names.flatMap((name) => resource.fields.get(name) ?? []);
  const movable = fields.filter(({ name, kind }) => kind === 'reference' && !used.has(name));
  return new Map(movable.map((field) => [field.name, field]));
}

/** Whether a change is of such references alone: a ripple tells of what it changes, and of nothing else. */
export const isMoved =
  (movable: ReadonlyMap<string, Field>) =>
  ({ before, after }: Affected): boolean =>
    before !== null && after !== null && Object.keys(after).every((name) => movable.has(name));

/** Gives the rows of these objects the references that the objects have. @param changed of all of them */
export function* moveReferences(
  resource: Resource,
  { name: kept }: SearchTable,
  changed: readonly Field[],
  ids: readonly SqlValue[],
  { dialect }: KeptContext,
): Work<void> {
  const { column, replaced } = dialect.words;
  if (!column || !replaced) throw new Error('the words of rows are not known');
  const columns = changed.map(({ columns: [name = ''] }) => name);
  const named = new Set(namingFields(resource));
  const words = changed
    .filter((field) => named.has(field))
    .reduce(
      (known, { name, columns: [reference = ''] }) => {
        const tokenOf = (alias: string) => referenceTokenSql(name, raw(`${alias}.${reference}`));
        return replaced(known, tokenOf('s'), tokenOf('o'));
      },
      sql`s.${column}`,
    );
  yield* ask(
    sql`update ${raw(`${kept} s`)} set ${join(columns.map((name) => raw(`${name} = o.${name}`)))}, ${column} = ${words}
      from ${raw(resource.table)} o where o.id = s.id and s.id ${amongRows(ids, dialect)}`,
  );
}
