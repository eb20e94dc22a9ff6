/** The site settings of the benchmark. */
import type { CustomField } from '../../src/plugins/objects/server/site/settings';
import type { Random } from './random';

/** The settings that all contenders know: an encounter has one text of the instance's own. */
export const SITE = {
  custom_fields: {
    encounter: [{ key: 'weather', type: 'string', label: { en: 'Weather' } }],
  },
} as const;

type Definition = Pick<CustomField, 'key' | 'type' | 'label'> & Partial<CustomField>;

const options = (...values: readonly string[]): CustomField['options'] =>
  values.map((value) => ({ value, label: { en: value, es: value } }));

const SKY = ['sunny', 'overcast', 'light rain', 'fog', 'storm'];
const HABITAT = ['savanna', 'forest', 'river', 'wetland', 'farmland'];
const SIGNS = ['tracks', 'scat', 'call', 'carcass'];

/** Ten custom fields of an encounter, of all types, each with the values of an encounter. */
const TEN_FIELDS: readonly (Definition & { readonly value: (random: Random) => unknown })[] = [
  {
    key: 'weather',
    type: 'string',
    label: { en: 'Weather', es: 'Tiempo' },
    value: (random) => random.pick(SKY),
  },
  {
    key: 'observer_note',
    type: 'string',
    label: { en: 'Note of the observer', es: 'Nota del observador' },
    value: (random) => `Followed for ${random.below(90)} minutes, then lost in high grass.`,
  },
  {
    key: 'temperature',
    type: 'number',
    label: { en: 'Temperature, °C', es: 'Temperatura, °C' },
    value: (random) => random.below(350) / 10,
  },
  {
    key: 'water_distance',
    type: 'number',
    label: { en: 'Distance to water, m', es: 'Distancia al agua, m' },
    value: (random) => random.below(50_000) / 10,
  },
  {
    key: 'calves',
    type: 'integer',
    label: { en: 'Calves', es: 'Crías' },
    value: (random) => random.below(10),
  },
  {
    key: 'is_collared',
    type: 'boolean',
    label: { en: 'Wears a collar', es: 'Lleva collar' },
    value: (random) => random.below(2) === 1,
  },
  {
    key: 'is_injured',
    type: 'boolean',
    label: { en: 'Injured', es: 'Herido' },
    value: (random) => random.below(2) === 1,
  },
  {
    key: 'checked_on',
    type: 'date',
    label: { en: 'Checked on', es: 'Revisado el' },
    value: (random) => `2024-0${random.below(9) + 1}-${random.below(18) + 10}`,
  },
  {
    key: 'habitat',
    type: 'select',
    label: { en: 'Habitat', es: 'Hábitat' },
    options: options(...HABITAT),
    value: (random) => random.pick(HABITAT),
  },
  {
    key: 'signs',
    type: 'multiselect',
    label: { en: 'Signs', es: 'Señales' },
    options: options(...SIGNS),
    value: (random) => [...new Set([random.pick(SIGNS), random.pick(SIGNS)])],
  },
];

/** Their values in one encounter. */
export const tenValues = (random: Random): Readonly<Record<string, unknown>> =>
  Object.fromEntries(TEN_FIELDS.map(({ key, value }) => [key, value(random)]));

/** Settings as an instance has them, with these ten fields. */
export const SITE_WITH_TEN_FIELDS = {
  site_name: { en: 'Animals of the Serengeti', es: 'Animales del Serengueti' },
  tagline: { en: 'Who was seen where', es: 'Quién fue visto dónde' },
  description: {
    en: 'Encounters with the large mammals of the plain, reported by rangers and guests.',
    es: 'Encuentros con los grandes mamíferos de la llanura, de guardas y visitantes.',
  },
  languages: ['en', 'es'],
  contact_email: 'data@example.org',
  regions: ['north', 'east', 'south', 'west', 'center'].map((id) => ({
    id,
    name: { en: `The ${id}`, es: `Zona ${id}` },
  })),
  behaviors: ['grazing', 'resting', 'walking', 'drinking', 'hunting'],
  custom_fields: { encounter: TEN_FIELDS.map(({ value: _, ...definition }) => definition) },
};
