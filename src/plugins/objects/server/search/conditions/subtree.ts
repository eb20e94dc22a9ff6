/** What is below an object of a tree. */
import { raw, sql, type Sql } from '../../database/sql';
import type { Field } from '../../declare/completed';
import { storedNames } from '../../declare/references';
import type { Source } from './source';

/**
 * A `select` of the rows of an object and all below it. Another name of an object is below that one; it finds what that
 * one finds.
 */
export function rowsBelow({ resources, resource }: Source, field: Field, id: string): Sql {
  const type = field.to ?? resource.type;
  const tree = resources.get(type);
  const names = storedNames(resources);
  const parent = names.column(type, names.treeField(type));
  const alias = names.aliasColumn(type);
  const table = raw(tree?.table ?? '');
  const own = sql`select t.id from ${table} t where t.document_id = ${id}`;
  if (alias === null)
    return sql`with recursive b(id) as (
        ${own} union select c.id from b join ${table} c on c.${parent} = b.id)
      select b.id from b`;
  const named = raw(alias);
  return sql`with recursive n(id) as (
      ${own} union select t.${named} from n join ${table} t on t.id = n.id where t.${named} is not null),
    b(id) as (
      select n.id from n
      union select c.id from b join ${table} c on (c.${parent} = b.id or c.${named} = b.id))
    select b.id from b`;
}
