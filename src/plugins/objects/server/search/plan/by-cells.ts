/** The way to objects in an area, by the index of the cells that they are in. */
import { rangesOf } from '../projection/cells';
import type { AreaCondition, Condition } from '../language/tree';
import { boxesAround } from '../conditions/place';
import { selectedFrom, type Source, type Way } from '../conditions/source';

/** An area whose cells have an index; null for any other condition. */
export const areaOf = ({ resource }: Source, condition: Condition): AreaCondition | null =>
  resource.searched && (condition.by === 'box' || condition.by === 'circle') ? condition : null;

/** @param way to objects, of which those in the cells of the area and around it are met */
export function byCells({ source, where }: Way, area: AreaCondition): Way {
  const ranges = rangesOf(area.by === 'box' ? [area.box] : boxesAround(area));
  // A circle that is nearly everywhere has none.
  if (ranges.length === 0) return { source, where };
  const { resource, table, alias, dialect } = source;
  const rows = dialect.inRanges(table, alias, 'cell', ranges);
  return { source: { ...source, from: selectedFrom(resource, rows) }, where };
}
