import type { components, paths } from './api.js';

/** The schemas of the OpenAPI document. */
export type Schemas = components['schemas'];

/** The types of objects that a search finds, each as it is read. */
export interface Objects {
  readonly asset: Schemas['Asset'];
  readonly collaboration: Schemas['Collaboration'];
  readonly encounter: Schemas['Encounter'];
  readonly individual: Schemas['Individual'];
  readonly org: Schemas['Org'];
  readonly taxonomy: Schemas['Taxonomy'];
  readonly user: Schemas['User'];
}

/** The same, as they are read with `fields`. */
export interface Parts {
  readonly asset: Schemas['AssetPart'];
  readonly collaboration: Schemas['CollaborationPart'];
  readonly encounter: Schemas['EncounterPart'];
  readonly individual: Schemas['IndividualPart'];
  readonly org: Schemas['OrgPart'];
  readonly taxonomy: Schemas['TaxonomyPart'];
  readonly user: Schemas['UserPart'];
}

export type ObjectType = keyof Objects;

/** The parameters of a search. */
export type SearchQuery<T extends ObjectType> = NonNullable<
  paths[`/api/v0/search/${T}`]['get']['parameters']['query']
>;

/** The bodies of creates without a file. */
export interface Creates {
  readonly encounter: Schemas['EncounterCreate'];
  readonly individual: Schemas['IndividualCreate'];
  readonly org: Schemas['OrgCreate'];
  readonly taxonomy: Schemas['TaxonomyCreate'];
}

/** The bodies of updates. */
export interface Updates {
  readonly asset: Schemas['AssetUpdate'];
  readonly encounter: Schemas['EncounterUpdate'];
  readonly individual: Schemas['IndividualUpdate'];
  readonly org: Schemas['OrgUpdate'];
  readonly taxonomy: Schemas['TaxonomyUpdate'];
  readonly user: Schemas['UserUpdate'];
}
