/** Encounters as a frontend would send them, with all kinds of fields and distinct values. */
import type { Random } from './random';

/** The body of a create, by the names of the wire. */
export type Sample = Readonly<Record<string, unknown>>;

const BEHAVIORS = ['grazing', 'resting', 'walking', 'drinking', 'hunting', 'playing'];
const OBSERVERS = ['Amina Njoroge', 'Juan Pérez', 'Ingrid Sørensen', 'Li Wei', 'Claire Dubois'];
const TAGS = ['waterhole', 'herd', 'night', 'calf', 'collared', 'injured', 'river', 'dawn'];
const WEATHER = ['sunny', 'overcast', 'light rain', 'fog', 'storm'];

const FIRST_DAY = Date.UTC(2017, 0, 1);
const DAYS = 8 * 365;

/** An encounter with one of these taxa. */
export function sampleEncounter(random: Random, taxa: readonly string[]): Sample {
  const time = new Date(FIRST_DAY + random.below(DAYS * 1440) * 60_000);
  return {
    taxonomy: random.pick(taxa),
    event_id: random.uuid(),
    time: `${time.toISOString().slice(0, 16)}Z`,
    latitude: round(random.between(-3.5, -1)),
    longitude: round(random.between(33.5, 36)),
    coordinate_uncertainty: random.below(500) + 1,
    locality: `Plot ${random.below(900) + 100}, Serengeti`,
    country_code: 'TZ',
    sex: random.pick(['male', 'female', 'unknown']),
    life_stage: random.pick(['juvenile', 'subadult', 'adult']),
    living_status: 'alive',
    group_size: random.below(40) + 1,
    behavior: random.pick(BEHAVIORS),
    basis_of_record: 'human_observation',
    observers: [random.pick(OBSERVERS), `Ranger ${random.below(100)}`],
    measurements: [
      { type: 'shoulder height', value: round(random.between(0.3, 3)), unit: 'm' },
      { type: 'distance', value: random.below(200), unit: 'm' },
    ],
    tags: [...new Set([random.pick(TAGS), random.pick(TAGS), `plot ${random.below(100)}`])],
    remarks: `Seen from the track, ${random.below(300)} m away; ${random.pick(BEHAVIORS)} before.`,
    license: 'CC-BY-4.0',
    custom_fields: { weather: random.pick(WEATHER) },
  };
}

const round = (value: number): number => Math.round(value * 10_000) / 10_000;
