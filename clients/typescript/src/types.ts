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

type DocumentedQuery<T extends ObjectType> = NonNullable<
  paths[`/api/v0/search/${T}`]['get']['parameters']['query']
>;

/** The filters that compare a field with values. */
type FilterName<T extends ObjectType> = {
  [K in keyof DocumentedQuery<T> & string]: NonNullable<
    DocumentedQuery<T>[K]
  > extends readonly unknown[]
    ? K
    : never;
}[keyof DocumentedQuery<T> & string];

type Filters<T extends ObjectType> = Exclude<FilterName<T>, 'sort' | 'include' | 'fields'>;

/** The parameters of a search. In `not` and `range` the names of filters have an end: `{ not: { sex_not: 'male' } }`. */
export type SearchQuery<T extends ObjectType> = Omit<DocumentedQuery<T>, 'not' | 'range'> & {
  readonly not?: { readonly [K in `${Filters<T>}_not`]?: string };
  readonly range?: { readonly [K in `${Filters<T>}_${'min' | 'max'}`]?: number | string };
};

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
