/**
 * Where animals live, and how their records come about: reported without a taxon or with one that is not protected yet,
 * with one that is, and at last from the den, where other animals were seen in the same minute. Pure, by a seed.
 */
import type { Random } from '../../bench/data/random';
import { moved, type Place } from './places';

/** An animal, the places where it was seen, and where it lives. */
export interface Animal {
  readonly home: Place;
  /** Kilometres: the standard deviation of the places around the home, to the north and to the east. */
  readonly spread: number;
  readonly places: readonly Place[];
}

/** The taxa: `later` is protected after it was told. */
export type Taxon = 'protected' | 'later' | 'open';

export interface Sighting {
  /** Its `external_id`. */
  readonly id: string;
  /** Of the animal, null of one that nobody knows. */
  readonly organism: string | null;
  readonly taxon: Taxon | null;
  readonly place: Place;
  readonly time: string;
  readonly event: string;
}

/** A home that an attacker looks for. */
export interface Home extends Animal {
  readonly name: string;
  /** The record that it begins with: the one from the den. */
  readonly target: string;
  /** An open record of the same outing, which may share a photograph with it. */
  readonly companion: string;
  /** The records that were told without a taxon. */
  readonly untaxed: readonly string[];
  /** The record that is taken away, if there are several. */
  readonly taken: string | null;
  /** The names of individuals that are found to be one. */
  readonly organisms: { readonly into: string; readonly from: readonly string[] };
  /** The name of an individual that is seen with it. */
  readonly associate: string;
  readonly early: readonly Sighting[];
  readonly late: readonly Sighting[];
  readonly outing: readonly Sighting[];
}

/** Kilometres around the home in which the last outing is. */
const DEN = 0.3;
/** Of so many homes one is of the taxon that is protected later. */
const LATER = 10;

/** How many animals are made up, with how many records each, and how far around their homes these are, in kilometres. */
interface Made {
  readonly animals: number;
  readonly records: number;
  readonly spreads: readonly [least: number, most: number];
}

/** Made-up animals in savannas, so few that one lives in each area. */
export function makeAnimals(random: Random, { animals, records, spreads }: Made): Animal[] {
  return Array.from({ length: animals }, () => {
    const home = { latitude: random.between(-25, 10), longitude: random.between(12, 40) };
    const spread = random.between(...spreads);
    return { home, spread, places: around(home, spread, records, random) };
  });
}

const around = (home: Place, spread: number, count: number, random: Random): Place[] =>
  Array.from({ length: count }, () =>
    moved(home, random.normal() * spread, random.normal() * spread),
  );

/** The same animals in other places: each home somewhere else, and all places of an animal as they are to each other. */
export const shifted = (animals: readonly Animal[], random: Random): Animal[] =>
  animals.map((animal) => {
    const by = {
      latitude: random.between(-8, 8),
      longitude: random.between(-40, 40),
    };
    const shift = ({ latitude, longitude }: Place): Place => ({
      latitude: latitude + by.latitude,
      longitude: longitude + by.longitude,
    });
    return { ...animal, home: shift(animal.home), places: animal.places.map(shift) };
  });

/** The outings to the homes of animals. */
export const makeHomes = (animals: readonly Animal[], random: Random): Home[] =>
  animals.map((animal, at) => homeOf(animal, `h${at}`, at % LATER === LATER - 1, random));

function homeOf(animal: Animal, name: string, isLater: boolean, random: Random): Home {
  const taxon = isLater ? 'later' : 'protected';
  const sightings = animal.places.map((place, at): Sighting => ({
    id: `${name}-${at}`,
    organism: `${name}-first`,
    taxon,
    place,
    time: timeOf(random, '2021', 365),
    event: random.uuid(),
  }));
  const early = sightings.slice(0, Math.ceil(sightings.length / 5));
  const late = sightings.slice(early.length).map((one) => ({ ...one, organism: `${name}-second` }));
  const untaxed = isLater ? [] : early.map(({ id }) => id);
  return {
    ...animal,
    name,
    target: `${name}-den`,
    companion: `${name}-companion`,
    untaxed,
    taken: late.at(-1)?.id ?? null,
    early: early.map((one) => (isLater ? one : { ...one, taxon: null })),
    late,
    organisms: { into: `${name}-den`, from: [`${name}-first`, `${name}-second`] },
    associate: `${name}-associate`,
    outing: outingTo(animal.home, name, taxon, random),
  };
}

/** One minute at the den, in the season in which all outings are: the animal, two others, and one that keeps it company. */
function outingTo(home: Place, name: string, taxon: Taxon, random: Random): Sighting[] {
  const shared = { time: timeOf(random, '2022-06', 30), event: random.uuid() };
  const seen = (id: string, of: Taxon, organism: string | null): Sighting => ({
    ...shared,
    id: `${name}-${id}`,
    organism,
    taxon: of,
    place: moved(home, random.normal() * DEN, random.normal() * DEN),
  });
  return [
    seen('den', taxon, `${name}-den`),
    seen('companion', 'open', null),
    seen('other', 'open', null),
    seen('associate', 'open', `${name}-associate`),
  ];
}

/** Some minute of so many days. @param from a year or a month */
function timeOf(random: Random, from: string, days: number): string {
  const time = Date.parse(from) + random.below(days * 24 * 60) * 60_000;
  return new Date(time).toISOString().slice(0, 16).concat('Z');
}
