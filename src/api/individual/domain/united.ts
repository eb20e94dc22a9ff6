/** What an individual is once others are merged into it. */
import { isDeepStrictEqual } from 'node:util';
import type { IndividualName } from '../../../plugins/objects/server/kinds/individual-names';
import type { Relationship } from '../../../plugins/objects/server/kinds/relationships';
import { nameKeys } from './names';
import { KIN, relationshipsOf } from './relationships';

type Individual = Readonly<Record<string, unknown>>;

/** Values of one field that differ: that of the individual that stays, which it keeps, and those of the others. */
export interface FieldConflict {
  readonly path: string;
  readonly values: readonly unknown[];
}

/** The fields with one value each, of which the individual that stays keeps its own. */
const SINGLE = [
  'taxonomy',
  'sex',
  'living_status',
  'time_of_birth',
  'time_of_death',
  'photo_id',
  'remarks',
] as const;

/** The fields that a merge may set, as an update does. */
export const CHOSEN = [...SINGLE, 'organizations', 'tags', 'custom_fields'];

/**
 * All names, those of the individual that stays first, and equal ones once. Where it has names, none of the others is
 * preferred.
 *
 * @param taxonomy of the individual that stays: a name is unique in a taxon
 */
export function unitedNames(
  into: Individual,
  from: readonly Individual[],
  taxonomy: unknown,
): readonly IndividualName[] {
  const own = namesOf(into);
  let isChosen = own.length > 0;
  const others = from.flatMap(namesOf).map((name) => {
    const preferred = name.preferred && !isChosen;
    isChosen ||= preferred;
    return { ...name, preferred };
  });
  const names = [...own, ...others];
  const keys = nameKeys({ names, taxonomy }).map(({ key }) => key);
  return names.filter((_, at) => keys.indexOf(keys[at] ?? '') === at);
}

const namesOf = (individual: Individual): readonly IndividualName[] =>
  (individual['names'] ?? []) as readonly IndividualName[];

/** All tags, each once. */
export const unitedTags = (into: Individual, from: readonly Individual[]): readonly unknown[] => [
  ...new Set([into, ...from].flatMap(({ tags }) => (tags ?? []) as readonly unknown[])),
];

/** The relationships of all of them, each once, without those among them. */
export function unitedRelationships(
  into: Individual,
  from: readonly Individual[],
): readonly Relationship[] {
  const merging = new Set([into, ...from].map(({ id }) => id));
  const all = [into, ...from].flatMap(relationshipsOf);
  return all.filter(
    (one, at) =>
      !merging.has(one.individual) &&
      all.findIndex((other) => isDeepStrictEqual(other, one)) === at,
  );
}

/** Those of all of them that the individual that stays did not have. */
export function gainedRelationships(
  into: Individual,
  from: readonly Individual[],
): readonly Relationship[] {
  const own = relationshipsOf(into);
  return unitedRelationships(into, from).filter(
    (one) => !own.some((known) => isDeepStrictEqual(known, one)),
  );
}

/** Relationships by which one animal would be several kinds of kin of another. */
export const contradictions = (list: readonly Relationship[]): readonly Relationship[] =>
  list.filter(
    (one) =>
      KIN.has(one.type) &&
      list.some(
        ({ individual, type }) =>
          individual === one.individual && type !== one.type && KIN.has(type),
      ),
  );

/** Values of the others that are lost unless they are given. @param given the names of fields with a given value */
export function conflictsOf(
  into: Individual,
  from: readonly Individual[],
  given: ReadonlySet<string>,
): readonly FieldConflict[] {
  const open = (name: string): boolean => !given.has(name);
  const single = SINGLE.filter(open).flatMap((name) =>
    conflictAt(
      name,
      into[name],
      from.map((one) => one[name]),
    ),
  );
  const fields = open('custom_fields') ? customFieldConflicts(into, from) : [];
  const organizations = open('organizations')
    ? conflictAt('organizations', into['organizations'], from.map(beyond(into)))
    : [];
  return [...single, ...organizations, ...fields];
}

function conflictAt(path: string, own: unknown, theirs: readonly unknown[]): FieldConflict[] {
  const values: unknown[] = [own ?? null];
  for (const value of theirs) {
    const isLost = !isEmpty(value) && !values.some((known) => isDeepStrictEqual(known, value));
    if (isLost) values.push(value);
  }
  return values.length > 1 ? [{ path, values }] : [];
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/** The orgs of another individual, unless this one has all of them. */
const beyond =
  (into: Individual) =>
  ({ organizations }: Individual): unknown => {
    const [own, theirs] = [into['organizations'], organizations].map(
      (list) => (list ?? []) as readonly unknown[],
    );
    return theirs?.every((id) => own?.includes(id)) ? [] : organizations;
  };

function customFieldConflicts(into: Individual, from: readonly Individual[]): FieldConflict[] {
  const valuesOf = (individual: Individual): Individual =>
    (individual['custom_fields'] ?? {}) as Individual;
  const keys = new Set(from.flatMap((one) => Object.keys(valuesOf(one))));
  return [...keys].flatMap((key) =>
    conflictAt(
      `custom_fields.${key}`,
      valuesOf(into)[key],
      from.map((one) => valuesOf(one)[key]),
    ),
  );
}
