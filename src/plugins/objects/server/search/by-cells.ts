/**
 * The way to objects in an area by the index of the cells that they are in: one range after the other, so that it ends as
 * soon as enough are found. As alternatives of one condition, PostgreSQL would read all ranges before it gives the first
 * row, and SQLite would note each row to give none twice.
 */
import { join, raw, sql } from '../database/sql';
import { rangesOf } from './cells';
import type { AreaCondition, Condition } from './condition';
import { boxesAround } from './place';
import { allOf, type Source, type Way } from './source';

/** An area whose cells have an index; null without one, and for what is nearly everywhere. */
export const areaOf = ({ resource }: Source, condition: Condition): AreaCondition | null =>
  resource.searched && (condition.by === 'box' || condition.by === 'circle') ? condition : null;

/** @param way to objects, of which those in the cells of the area and around it are met */
export function byCells({ source, where }: Way, area: AreaCondition): Way {
  const ranges = rangesOf(area.by === 'box' ? [area.box] : boxesAround(area));
  if (ranges.length === 0) return { source, where };
  const values = ranges.map(([from, to]) => raw(`(${from}, ${to})`));
  return {
    source: {
      ...source,
      from: (...parts) => sql`(values ${join(values)}) r cross join ${source.from(...parts)}`,
    },
    // Both databases name the columns of values so.
    where: allOf([raw(`${source.alias}.cell between r.column1 and r.column2`), where]),
  };
}
