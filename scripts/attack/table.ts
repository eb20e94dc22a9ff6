/** How near each method comes. Pure. */
import { join, METHODS, type Joined, type Method, type MethodName } from './estimate';
import type { Knowledge, Known } from './collect';
import { distance, medianOf, type Place } from './places';

/** A home that is looked for: where it is, and the ID of the record that the attacker begins with. */
export interface Sought {
  readonly home: Place;
  readonly target: string;
  readonly hasPhotograph: boolean;
}

/** What a method reaches. */
export interface Reached {
  readonly method: MethodName;
  readonly isClosed: boolean;
  readonly homes: number;
  /** Kilometres: the medians of the distance to the home, and of that of the cell alone. */
  readonly error: number;
  readonly cell: number;
  /** Homes that are at most 2 km from where the method says, and from the centre of the cell. */
  readonly within: number;
  readonly cellWithin: number;
}

/** Kilometres. */
const NEAR = 2;

/** Whether a method can be tried on a home at all. */
const isFor = ({ name }: Method, { hasPhotograph }: Sought): boolean =>
  name !== 'photograph' || hasPhotograph;

/** The error of each method over all homes. A method that finds nothing says the centre of the cell. */
export function reach(homes: readonly Sought[], knowledge: Knowledge): Reached[] {
  const known = join(knowledge);
  return METHODS.map((method) => {
    const some = homes.filter((home) => isFor(method, home));
    const errors = some.map((home) => errorOf(home, known, method));
    const cells = some.map((home) => errorOf(home, known));
    const near = (all: readonly number[]): number => all.filter((error) => error <= NEAR).length;
    return {
      method: method.name,
      isClosed: method.isClosed,
      homes: some.length,
      error: medianOf(errors),
      cell: medianOf(cells),
      within: near(errors),
      cellWithin: near(cells),
    };
  });
}

function errorOf({ home, target }: Sought, known: Joined, method?: Method): number {
  const record: Known | undefined = known.encounters.get(target);
  if (!record?.place) throw new Error(`nothing is told of the record ${target}`);
  const estimate = method?.estimate(record, known) ?? record.place;
  return distance(home, estimate);
}

/** The error as a share of that of the cell alone. */
export const shareOf = ({ error, cell }: Reached): number => error / cell;

const kilometres = (value: number): string => value.toFixed(1);

/** A line of the table: error, share of the cell's, homes within 2 km. */
const valuesOf = (one: Reached): string =>
  `${kilometres(one.error)} km (${shareOf(one).toFixed(2)}), ${one.within} of ${one.homes}`;

/** A column of the table: what a stranger reaches under some settings. */
export interface Column {
  readonly title: string;
  readonly reached: readonly Reached[];
}

/** A table in Markdown: a line for each method, a column for each of these. */
export function tableOf(columns: readonly Column[]): string {
  const [first] = columns;
  const cell = first?.reached.find(({ method }) => method !== 'photograph');
  const lines = METHODS.map(({ name, isClosed }) => {
    const cells = columns.map(({ reached }) => {
      const one = reached.find(({ method }) => method === name);
      return one ? valuesOf(one) : '';
    });
    return `| ${isClosed ? name : `*${name}*`} | ${cells.join(' | ')} |`;
  });
  const alone = cell ? `${kilometres(cell.cell)} km, ${cell.cellWithin} of ${cell.homes}` : '';
  return [
    `| method | ${columns.map(({ title }) => title).join(' | ')} |`,
    `| --- |${' --- |'.repeat(columns.length)}`,
    `| the cell alone |${` ${alone} |`.repeat(columns.length)}`,
    ...lines,
  ].join('\n');
}

/** What methods find behind the doors that are opened for them. */
export function controlsOf(reached: readonly Reached[]): string {
  const [first] = reached;
  const lines = reached.map(
    (one) =>
      `| ${one.method} | ${kilometres(one.error)} km | ${kilometres(one.cell)} km | ${shareOf(one).toFixed(2)} |`,
  );
  return [
    `Positive controls, on the ${first?.homes ?? 0} of these homes with 3 to 5 km of spread (photographs: on those that have one):`,
    '',
    '| behind its door | median error | of the cell alone | share |',
    '| --- | --- | --- | --- |',
    ...lines,
  ].join('\n');
}
