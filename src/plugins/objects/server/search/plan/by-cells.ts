/** Rows in an area, by the index of the cells that they are in. */
import { selectedFrom, type Selection } from '../conditions/source';
import { boxesAround } from '../conditions/place';
import type { AreaCondition } from '../language/tree';
import { rangesOf } from '../projection/cells';

/** @param selection of which those in the cells of the area and around it are met */
export function byCells({ source, where }: Selection, area: AreaCondition): Selection {
  const ranges = rangesOf(area.by === 'box' ? [area.box] : boxesAround(area));
  // A circle that is nearly everywhere has none.
  if (ranges.length === 0 || source.isOneByOne) return { source, where };
  const { resource, table, alias, dialect } = source;
  const rows = dialect.inRanges(table, alias, 'cell', ranges, source.partition);
  return { source: { ...source, from: selectedFrom(resource, rows) }, where };
}
