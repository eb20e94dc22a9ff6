import type { KeptColumns } from '../../plugins/objects/server/define/behavior';

/** Which of the times of an individual's encounters a figure is. */
export type End = 'first' | 'last';

/** The figures that are times, by the names of their columns. */
export const FIGURES = [
  { end: 'first', isPublic: false, name: 'first_seen' },
  { end: 'last', isPublic: false, name: 'last_seen' },
  { end: 'first', isPublic: true, name: 'public_first_seen' },
  { end: 'last', isPublic: true, name: 'public_last_seen' },
] as const;

export type Figure = (typeof FIGURES)[number];

/** The columns of a time. */
export const columnsOf = (name: string): readonly string[] => [
  name,
  `${name}_start`,
  `${name}_end`,
];

/** Where figures are kept. */
export const FIGURE_COLUMNS: KeptColumns = {
  table: 'individuals',
  key: 'id',
  columns: [
    'encounter_count',
    'public_encounter_count',
    ...FIGURES.flatMap(({ name }) => columnsOf(name)),
  ],
};
