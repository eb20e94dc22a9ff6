/** What the objects of the searched site may be. */
import { uuid } from '../../helpers/ids';
import type { Json } from '../../helpers/json';
import type { Random } from '../../helpers/random';

export const REGIONS = [
  { id: 'africa', name: { en: 'Africa' }, bbox: [-20, -35, 52, 38] },
  { id: 'serengeti', name: { en: 'Serengeti' }, parent: 'africa', bbox: [34, -3, 35.5, -1] },
  { id: 'camp', name: { en: 'Camp' }, parent: 'serengeti', bbox: [34.82, -2.34, 34.84, -2.32] },
];
export const CUSTOM = {
  encounter: [
    {
      key: 'herd',
      type: 'select',
      label: { en: 'Herd' },
      public_when_obscured: true,
      options: [{ value: 'north' }, { value: 'south, far' }],
    },
    { key: 'water_temp', type: 'number', label: { en: 'Water' } },
    { key: 'seen_on', type: 'date', label: { en: 'Seen on' } },
    { key: 'calf', type: 'boolean', label: { en: 'Calf' } },
    {
      key: 'signs',
      type: 'multiselect',
      label: { en: 'Signs' },
      public_when_obscured: true,
      options: [{ value: 'dung' }, { value: 'track' }],
    },
  ],
};
export const WORDS = [
  ...['Zèbre', 'zebra', 'Straße', '斑马', 'зебра', 'حمار وحشي', '🦒', 'Giraffe', 'gir', 'river'],
  ...['black-backed', 'Z-042', 'ΟΔΟΣ', '100%', 'a_b', "o'clock", 'かば', 'ガゼル', '한국', 'x'],
];
/** The names of taxa, each with the place of its parent and of the name that is accepted for it. */
export const TAXA: readonly (readonly [name: string, parent?: number, accepted?: number])[] = [
  ...([
    ['Aves'],
    ['Anas', 0],
    ['Anas platyrhynchos', 1],
    ['Mammalia'],
    ['Equus quagga', 3],
  ] as const),
  // A synonym elsewhere in the tree, one of that synonym, and what is below one.
  ...([
    ['Boschas domestica', 3, 2],
    ['Querquedula', -1, 5],
    ['Querquedula varia', 6],
  ] as const),
];
export const TIMES = [
  ...['2021', '2021-06', '2021-06-03', '2021-06-03T14:05+02:00', '2020-12-31T23:00-05:00'],
  ...['2019/2021', '2021-06-03/2021-06-05', '2021-06-03T12:05Z', '1850', '2022-01-01'],
  ...['2021-03-01T23:30-07:00', '2021-03-02T00:30+13:00', '2021-03-01', '2021-06-03T14:05'],
  // The hour that is repeated when clocks are put back.
  '2020-10-25T02:50+02:00/2020-10-25T02:10+01:00',
];

/** Makes random values. */
export function makersOf(random: Random) {
  const { pick, chance, among } = random;
  const text = (): string => among(WORDS, 1 + Math.floor(random.next() * 4)).join(' ');
  const maybe = <T>(make: () => T): T | null => (chance(0.7) ? make() : null);

  function encounter(
    taxa: readonly string[],
    animals: readonly string[],
    orgs: readonly string[],
  ): Json {
    const isPlaced = chance(0.85);
    const [latitude, longitude] = pick([
      [-2.333, 34.8333],
      [-2.34, 34.9],
      [90, 12.5],
      [-17.5, 179.9],
      [-17.5, -179.95],
      [-17.6, 180],
      [52.1, 5.2],
      [random.next() * 180 - 90, random.next() * 360 - 180],
    ]);
    const animal = chance(0.4) ? pick(animals) : null;
    return {
      time: maybe(() => pick(TIMES)),
      ...(isPlaced ? { latitude, longitude } : {}),
      coordinate_uncertainty: maybe(() => pick([0, 12, 40_000])),
      location_id: maybe(() => pick(['africa', 'serengeti', 'camp'])),
      location_privacy: maybe(() => pick(['open', 'obscured', 'private'])),
      taxonomy: animal === null ? maybe(() => pick(taxa)) : null,
      individual: animal,
      organizations: chance(0.2) ? [pick(orgs)] : [],
      locality: maybe(text),
      remarks: maybe(text),
      behavior: maybe(text),
      tags: among(WORDS, pick([0, 1, 2])),
      observers: among(['Ada', 'Bob, jr', 'Cyd'], pick([0, 1, 2])),
      country_code: maybe(() => pick(['TZ', 'KE', 'FJ'])),
      elevation: maybe(() => pick([1, 1500.5, -3])),
      depth: maybe(() => pick([1, 2])),
      sex: maybe(() => pick(['male', 'female', 'unknown'])),
      group_size: maybe(() => pick([1, 2, 30])),
      event_id: maybe(() => uuid(0xe00 + pick([1, 2, 3]))),
      external_id: chance(0.5)
        ? `${pick(['É', 'e', 'Z', 'ä'])}${Math.floor(random.next() * 1e6)}`
        : null,
      custom_fields: {
        ...(chance(0.5) ? { herd: pick(['north', 'south, far']) } : {}),
        ...(chance(0.5) ? { water_temp: pick([19.5, 20, 21]) } : {}),
        ...(chance(0.5) ? { seen_on: pick(['2021-06-03', '2020-01-01']) } : {}),
        ...(chance(0.5) ? { calf: chance(0.5) } : {}),
        ...(chance(0.5) ? { signs: among(['dung', 'track'], pick([1, 2])) } : {}),
      },
    };
  }

  return { text, maybe, encounter };
}
