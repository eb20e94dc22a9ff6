/**
 * Where a type is searched while the version of its table that the code declares is being filled: in the earlier one, as far
 * as that answers the same.
 */
import type { Dialect } from '../../database/database';
import type { Sql } from '../../database/sql';
import type { CallerModel, Model } from '../../read/model';
import { notReady, type Earlier } from '../projection/versions/live';
import { makeSource, type SearchedIn, type Source } from './source';

/** @throws ApiError NOT_READY, also where a condition or an order is made that the earlier version cannot answer */
export function earlierSource(
  model: Model,
  type: string,
  compiled: CallerModel,
  where: SearchedIn,
  { table, hasWords, isExactOnly, lacking }: Earlier,
): Source {
  const { resource } = model.type(type);
  // What strangers find in it may be more than the present rules tell them.
  if (isExactOnly && compiled.access.exact() !== 'all') notReady();
  const searched = { ...resource, searched: table };
  const made = makeSource(model, type, compiled, where, searched);
  if (reads(made.visible, lacking) || reads(made.visibleInside, lacking)) notReady();
  return {
    ...made,
    dialect: hasWords ? made.dialect : wordless(made.dialect),
    term(field) {
      if (field.columns.some((name) => lacking.has(name))) notReady();
      return made.term(field);
    },
  };
}

/** Whether a condition has one of these columns of the table. */
const reads = ({ chunks }: Sql, columns: ReadonlySet<string>): boolean =>
  [...chunks.join('?').matchAll(/\bs\.(\w+)/g)].some(([, name = '']) => columns.has(name));

/** Whoever asks for words is refused. */
const wordless = (dialect: Dialect): Dialect =>
  Object.defineProperty({ ...dialect }, 'words', { get: notReady });
