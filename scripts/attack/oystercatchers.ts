/** Six tagged oystercatchers and their fixes, of the demo (`database/demo/dwca-oystercatchers`, CC0-1.0). */
import { readFileSync } from 'node:fs';
import { cellsOf } from './csv';
import { distance, medianOf, type Place } from './places';
import type { Animal } from './truth';

/** The ratio of the median of a distance to a standard deviation on one axis, where both are normal. */
const MEDIAN = 1.1774;

/** @param file `occurrence.csv` @param limit fixes of each bird, taken evenly; all by default */
export function readOystercatchers(file: string, limit = Infinity): Animal[] {
  const [heading = '', ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  const names = cellsOf(heading);
  const at = (name: string): number => names.indexOf(name);
  const byBird = new Map<string, Place[]>();
  for (const line of lines) {
    const cells = cellsOf(line);
    const place = {
      latitude: Number(cells[at('decimalLatitude')]),
      longitude: Number(cells[at('decimalLongitude')]),
    };
    const bird = cells[at('organismID')] ?? '';
    byBird.set(bird, [...(byBird.get(bird) ?? []), place]);
  }
  return [...byBird.values()].map((places) => animalOf(places, limit));
}

/** An animal lives in the middle of where it was seen. */
function animalOf(places: readonly Place[], limit: number): Animal {
  const home = {
    latitude: medianOf(places.map(({ latitude }) => latitude)),
    longitude: medianOf(places.map(({ longitude }) => longitude)),
  };
  const spread = medianOf(places.map((place) => distance(place, home))) / MEDIAN;
  const step = Math.max(places.length / limit, 1);
  const some = Array.from(
    { length: Math.min(places.length, limit) },
    (_, at) => places[Math.floor(at * step)] ?? home,
  );
  return { home, spread, places: some };
}

/** So many animals, each as the fixes of one of these are, in turn. */
export const repeated = (animals: readonly Animal[], count: number): Animal[] =>
  Array.from({ length: count }, (_, at) => animals[at % animals.length]).flatMap(
    (animal) => animal ?? [],
  );
