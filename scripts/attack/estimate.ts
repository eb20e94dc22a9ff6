/**
 * Methods by which somebody who has a hidden record estimates where its animal lives: each joins it to other records, and
 * gives the place that these tell. Pure.
 */
import type { Knowledge, Known } from './collect';
import { cellsApart, meanOf, type Place } from './places';
import { homeByShares } from './shares';

/** @returns null where a method finds nothing to join */
export type Estimate = (target: Known, known: Joined) => Place | null;

/** What is known, by what records have in common. */
export interface Joined extends Knowledge {
  /** Records with the same value, by the name of what they have in common. */
  having(name: Common, value: string): readonly Known[];
}

/** What records may have in common; a `moment` is a time that is told more precisely than by its month. */
type Common =
  'individual' | 'owner' | 'taxon' | 'event' | 'moment' | 'photograph' | 'poll' | 'change';

/** Characters of a month. */
const MONTH = 7;

const VALUES: Readonly<Record<Common, (one: Known) => readonly (string | number | null)[]>> = {
  individual: ({ individual }) => [individual],
  owner: ({ owner }) => [owner],
  taxon: ({ taxon }) => [taxon],
  event: ({ event }) => [event],
  moment: ({ time }) => [time !== null && time.length > MONTH ? time : null],
  photograph: ({ photographs }) => photographs,
  poll: ({ appeared }) => [appeared],
  change: ({ changed }) => [changed < 0 ? null : changed],
};

/** Makes the indexes by which methods join. */
export function join(known: Knowledge): Joined {
  const indexes = new Map<Common, Map<string, Known[]>>();
  const indexOf = (name: Common): Map<string, Known[]> => {
    const found = indexes.get(name);
    if (found) return found;
    const index = new Map<string, Known[]>();
    for (const one of known.encounters.values())
      for (const value of VALUES[name](one)) {
        if (value === null) continue;
        const list = index.get(String(value));
        if (list) list.push(one);
        else index.set(String(value), [one]);
      }
    indexes.set(name, index);
    return index;
  };
  return { ...known, having: (name, value) => indexOf(name).get(value) ?? [] };
}

const havingSame = (target: Known, name: Common, known: Joined): Known[] =>
  VALUES[name](target).flatMap((value) =>
    value === null ? [] : [...known.having(name, String(value))],
  );

/** Those whose place is told, within so many cells of the target. */
const near = (some: readonly Known[], { place }: Known, cells: number): Known[] =>
  some.filter(
    (one) => place !== null && one.place !== null && cellsApart(one.place, place) <= cells,
  );

const placesOf = (some: readonly Known[]): Place[] => some.flatMap(({ place }) => place ?? []);

/** The mean of the places of open records in the cell of the target. */
const byOpen = (some: readonly Known[], target: Known): Place | null =>
  meanOf(placesOf(near(some, target, 0).filter(({ isHidden }) => !isHidden)));

/** The home by the shares of the cells of hidden records of one animal, of which one is enough to say nothing. */
function bySharesOf(some: readonly Known[]): Place | null {
  const cells = placesOf(some.filter(({ isHidden }) => isHidden));
  return cells.length > 1 ? homeByShares(cells) : null;
}

/** The records that are told to be of an individual: by themselves, its lists, and searches. */
function recordsOf(individual: string, known: Joined): Known[] {
  const listed = known.individuals.get(individual)?.encounters ?? [];
  const all = [
    ...known.having('individual', individual),
    ...listed.flatMap((id) => known.encounters.get(id) ?? []),
  ];
  return [...new Map(all.map((one) => [one.id, one])).values()];
}

/** The individuals that the record is told to be of. */
const individualsOf = (target: Known, known: Joined): string[] => {
  if (target.individual !== null) return [target.individual];
  return [...known.individuals].flatMap(([id, { encounters }]) =>
    encounters.includes(target.id) ? [id] : [],
  );
};

const byIndividual: Estimate = (target, known) =>
  bySharesOf(individualsOf(target, known).flatMap((individual) => recordsOf(individual, known)));

const byRelationships: Estimate = (target, known) => {
  const kin = individualsOf(target, known).flatMap(
    (individual) => known.individuals.get(individual)?.kin ?? [],
  );
  return byOpen(
    kin.flatMap((individual) => recordsOf(individual, known)),
    target,
  );
};

/** The records beside it in the order of a search. */
const byOrder: Estimate = (target, known) => {
  const beside = known.orders.flatMap((order) => {
    const at = order.indexOf(target.id);
    return at < 0 ? [] : order.slice(Math.max(at - 1, 0), at + 2);
  });
  return byOpen(
    beside.flatMap((id) => known.encounters.get(id) ?? []),
    target,
  );
};

const month = ({ time }: Known): string => (time ?? '').slice(0, MONTH);

const bySame =
  (name: Common): Estimate =>
  (target, known) =>
    byOpen(havingSame(target, name, known), target);

/** Records of one owner and taxon around it. */
const byOwner: Estimate = (target, known) =>
  bySharesOf(
    near(havingSame(target, 'owner', known), target, 1).filter(
      ({ taxon }) => taxon === target.taxon,
    ),
  );

const byTaxon: Estimate = (target, known) =>
  bySharesOf(near(havingSame(target, 'taxon', known), target, 1));

/** Open records of the same owner, cell and month. */
const byCompanions: Estimate = (target, known) =>
  byOpen(
    havingSame(target, 'owner', known).filter((one) => month(one) === month(target)),
    target,
  );

/** What was told exactly of it and of all that changed in the same hour. */
const byChange: Estimate = (target, known) => {
  if (target.before) return target.before;
  const { place } = target;
  const before = havingSame(target, 'change', known).flatMap((one) => one.before ?? []);
  return meanOf(before.filter((one) => place !== null && cellsApart(one, place) === 0));
};

/** A method, and what it starts from. */
export interface Method {
  readonly name: string;
  /** Whether what it starts from is told to no stranger, so that it has to find nothing. */
  readonly isClosed: boolean;
  readonly estimate: Estimate;
}

export const METHODS = [
  { name: 'shares of cells, by individual', isClosed: true, estimate: byIndividual },
  { name: 'relationships', isClosed: true, estimate: byRelationships },
  { name: 'photograph', isClosed: true, estimate: bySame('photograph') },
  { name: 'event', isClosed: true, estimate: bySame('event') },
  { name: 'told time', isClosed: true, estimate: bySame('moment') },
  { name: 'order of searches', isClosed: true, estimate: byOrder },
  { name: 'owner', isClosed: false, estimate: byOwner },
  { name: 'companions (owner, cell, month)', isClosed: false, estimate: byCompanions },
  { name: 'taxon and area', isClosed: false, estimate: byTaxon },
  { name: 'hour of appearance', isClosed: false, estimate: bySame('poll') },
  { name: 'what changed together', isClosed: false, estimate: byChange },
] as const satisfies readonly Method[];

export type MethodName = (typeof METHODS)[number]['name'];
