import type { KeptColumns } from '../../plugins/objects/server/declare/behavior';

/** Which of the times of an individual's encounters a figure is. */
export type End = 'first' | 'last';

/** Of which encounters a figure is: all, those that anybody is told of, or these and those that the owner has reported. */
export type FigureAudience = 'all' | 'public' | 'own';

export interface Figure {
  readonly end: End;
  readonly of: FigureAudience;
  readonly columns: readonly string[];
}

/** The columns of a time. */
const spanOf = (name: string): readonly string[] => [name, `${name}_start`, `${name}_end`];

/** The figures that are times. Nobody filters or sorts by what owners read: its span is not kept. */
export const FIGURES: readonly Figure[] = (['first', 'last'] as const).flatMap((end): Figure[] => [
  { end, of: 'all', columns: spanOf(`${end}_seen`) },
  { end, of: 'public', columns: spanOf(`public_${end}_seen`) },
  { end, of: 'own', columns: [`own_${end}_seen`] },
]);

/** Where figures are kept. */
export const FIGURE_COLUMNS: KeptColumns = {
  table: 'individuals',
  key: 'id',
  columns: [
    'encounter_count',
    'public_encounter_count',
    'own_encounter_count',
    ...FIGURES.flatMap(({ columns }) => columns),
  ],
};

/** What of each encounter of an individual is counted. */
export const COUNTED = 'oms_counted_encounters';

export const COUNTED_COLUMNS: KeptColumns = {
  table: COUNTED,
  key: 'encounter',
  columns: ['individual', 'audience', 'time', 'time_start', 'time_end'],
};
