/** Follows references that were changed alone, by a merge or a deletion of what they refer to, without making rows anew. */
import { amongRows } from '../../database/row-ids';
import { join, raw, sql, type SqlValue } from '../../database/sql';
import { tell, type Work } from '../../database/work';
import type { Affected, KeptContext } from '../../declare/behavior';
import type { Field, Resource } from '../../declare/completed';
import type { SearchTable } from '../../declare/search-table';
import { WITHOUT_CLAIM } from '../../declare/relations';
import { viewOf } from '../../declare/views';
import type { SiteSettings } from '../../site/settings';
import { namingFields, referenceTokenSql } from './texts';
import { isReference } from '../../kinds/traits';

/** The fields of a type that decide over the view of an object, and so which rows it has. */
export function decidingFields({ views }: Resource): ReadonlySet<string> {
  const untold = views?.untold ?? null;
  const used = new Set<string>(untold === null ? [] : [untold]);
  views?.others({
    ...WITHOUT_CLAIM,
    column(name) {
      used.add(name);
      return raw('null');
    },
  });
  return used;
}

/** The references that a table made for searches has as they are, and that decide over no view of an object. */
export function movableFields(
  resource: Resource,
  { fields: names }: SearchTable,
): ReadonlyMap<string, Field> {
  const deciding = decidingFields(resource);
  const fields = names.flatMap((name) => resource.fields.get(name) ?? []);
  const movable = fields.filter((field) => isReference(field) && !deciding.has(field.name));
  return new Map(movable.map((field) => [field.name, field]));
}

/** Whether a change is of such references alone: a ripple tells of what it changes, and of nothing else. */
export const isMoved =
  (movable: ReadonlyMap<string, Field>) =>
  ({ before, after }: Affected): boolean =>
    before !== null && after !== null && Object.keys(after).every((name) => movable.has(name));

/** The levels of rows for strangers who are not shown a field. */
const levelsHiding = ({ views }: Resource, field: Field, site: SiteSettings): number[] =>
  [...(views?.names ?? [])].flatMap((name, at) =>
    viewOf(field, name, site) === 'shown' ? [] : [at + 1],
  );

/** Gives the rows of these objects the references that the objects have. @param changed of all of them */
export function* moveReferences(
  resource: Resource,
  { name: kept }: SearchTable,
  changed: readonly Field[],
  ids: readonly SqlValue[],
  { dialect, site }: KeptContext,
): Work<void> {
  const columns = changed.map(({ columns: [name = ''] }) => name);
  const named = new Set(namingFields(resource));
  const naming = changed.filter((field) => named.has(field));
  const words = naming.reduce((known, field) => {
    const [reference = ''] = field.columns;
    const tokenOf = (alias: string) => referenceTokenSql(field.name, raw(`${alias}.${reference}`));
    const moved = dialect.words.replaced(known, raw('s.marks'), tokenOf('s'), tokenOf('o'));
    const hidden = levelsHiding(resource, field, site);
    return hidden.length === 0
      ? moved
      : sql`case when s.level in (${raw(hidden.join())}) then ${known} else ${moved} end`;
  }, raw('s.words'));
  const ofThese = sql`from ${raw(kept)} where id ${amongRows(ids, dialect)}`;
  const indexed = { name: kept, isMarked: true };
  const index = naming.length > 0 ? dialect.words : null;
  const [dropped, added] = [index?.drop(indexed, ofThese), index?.add(indexed, ofThese)];
  const values = [
    ...columns.map((name) => raw(`${name} = o.${name}`)),
    ...(index ? [sql`words = ${words}`] : []),
  ];
  if (dropped) yield* tell(dropped);
  yield* tell(
    sql`update ${raw(`${kept} as s`)} set ${join(values)}
      from ${raw(resource.table)} o where o.id = s.id and s.id ${amongRows(ids, dialect)}`,
  );
  if (added) yield* tell(added);
}
