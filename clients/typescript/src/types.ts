import type { components, paths } from './api.js';

/** The schemas of the OpenAPI document. */
export type Schemas = components['schemas'];

/** The types of objects that a search finds. */
export type ObjectType =
  'asset' | 'collaboration' | 'encounter' | 'individual' | 'org' | 'taxonomy' | 'user';

/** Each as it is read. */
export type Objects = { readonly [T in ObjectType]: Schemas[Capitalize<T>] };

/** The same, as they are read with `fields`. */
export type Parts = { readonly [T in ObjectType]: Schemas[`${Capitalize<T>}Part`] };

/** The parameters of a search. */
export type SearchQuery<T extends ObjectType> = NonNullable<
  paths[`/api/v0/search/${T}`]['get']['parameters']['query']
>;

/** The bodies of creates without a file. */
export type Creates = {
  readonly [
    T in 'encounter' | 'individual' | 'org' | 'taxonomy'
  ]: Schemas[`${Capitalize<T>}Create`];
};

/** The bodies of updates. */
export type Updates = {
  readonly [T in Exclude<ObjectType, 'collaboration'>]: Schemas[`${Capitalize<T>}Update`];
};
