/** What a search has to find: a plain filter in memory over objects as `read` gives them to a caller. */
import { foldAlike } from '#app/core/look-alike';
import { parseTime } from '#app/core/time';
import { foldText, hasWord, tokensOf, wordsOf } from '#app/core/words';
import type { Field, Resource } from '#app/plugins/objects/server/declare/completed';
import type { FilterName } from '#app/plugins/objects/server/search/language/filters';
import type { Kind } from '#app/plugins/objects/server/declare/kinds';
import type { Json } from './json';
import { liesIn, orderOf, overlaps } from './times';

/** All that one caller may read, by type and ID. */
export type Readable = ReadonlyMap<string, ReadonlyMap<string, Json>>;

export interface Scene {
  readonly resource: Resource;
  readonly readable: Readable;
  /** The parent of each taxon, whoever may read it. */
  readonly parents: ReadonlyMap<string, string | null>;
  /** The accepted names of synonyms, whoever may read them. */
  readonly accepted: ReadonlyMap<string, string>;
  readonly regions: readonly { readonly id: string; readonly parent?: string | null }[];
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null);

const isIn = (value: unknown, values: readonly unknown[]): boolean =>
  values.some((one) => one === value);

/** The values between the commas. */
const valuesOf = (text: string): (string | null)[] =>
  text.split(/(?<!\\),/).map((part) => (part === 'null' ? null : part.replaceAll('\\,', ',')));

/** The values of a field as texts: none of what is empty. */
function itemsOf({ kind }: Pick<Field, 'kind'>, value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (kind === 'relationships') return (value as Json[]).map((one) => textOf(one['individual']));
  return Array.isArray(value) ? value.map(textOf) : [textOf(value)];
}

/** Whether an object meets a filter. */
export function meets(
  { resource }: Scene,
  object: Json,
  { subject, comparison }: FilterName,
  text: string,
): boolean {
  const { field } = subject;
  if (!(field.name in object)) return false;
  let value = object[field.name];
  if (subject.kind === 'custom') {
    const isHidden =
      (object['generalized'] ?? null) !== null && !subject.custom.public_when_obscured;
    if (isHidden) return false;
    value = (value as Json)[subject.custom.key] ?? null;
  }
  if (subject.kind === 'name')
    value = (value as Json[]).map((name) => foldAlike(textOf(name['value'])));
  if (comparison === 'min' || comparison === 'max')
    return isBeyond(subject.kind === 'field' ? field.kind : null, value, comparison, text);
  const rule = resource.unique.find(
    ({ fields, dependsOn }) =>
      fields.length === 1 && fields[0] === field.name && dependsOn.length === 0,
  );
  const key = (one: unknown): string => {
    if (subject.kind === 'name') return foldAlike(textOf(one));
    return rule ? textOf(rule.key({ [field.name]: one })) : textOf(one);
  };
  const items = itemsOf(field, value).map((item) => (rule ? key(item) : item));
  const has = valuesOf(text).some((wanted) => {
    if (wanted === null) return items.length === 0;
    if (field.kind === 'instant') {
      const span = parseTime(wanted);
      const at = Date.parse(textOf(value));
      return span !== null && at >= span.start && at <= span.end;
    }
    if (subject.kind === 'field' && field.kind === 'time')
      return items.some((item) => liesIn(item, wanted));
    const isNumber = typeof value === 'number';
    return isNumber ? items.map(Number).includes(Number(wanted)) : isIn(key(wanted), items);
  });
  return comparison === 'is' ? has : !has;
}

function isBeyond(kind: Kind | null, value: unknown, side: 'min' | 'max', text: string): boolean {
  if (value === null || value === undefined) return false;
  if (typeof value === 'number')
    return side === 'min' ? value >= Number(text) : value <= Number(text);
  if (kind === 'time') return overlaps(textOf(value), side, text);
  const [own, span] = [parseTime(textOf(value)), parseTime(text)];
  if (!own || !span) return false;
  return side === 'min' ? own.end >= span.start : own.start <= span.end;
}

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Kilometers along the great circle (haversine). */
export function distance(latitude: number, longitude: number, y: number, x: number): number {
  const half = (angle: number): number => Math.sin(angle / 2) ** 2;
  const chord =
    half(radians(y - latitude)) +
    Math.cos(radians(latitude)) * Math.cos(radians(y)) * half(radians(x - longitude));
  return 2 * 6371.0088 * Math.asin(Math.min(1, Math.sqrt(chord)));
}

/** Whether an object is in a box: longitudes are counted on from its west. */
export function isInBox(object: Json, text: string): boolean {
  const [west = 0, south = 0, east = 0, north = 0] = text.split(',').map(Number);
  const [latitude, longitude] = [object['latitude'], object['longitude']];
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return false;
  if (latitude < south || latitude > north) return false;
  if (Math.abs(latitude) === 90) return true;
  const width = west <= east ? east - west : east - west + 360;
  return (longitude - west + 720) % 360 <= width || width === 360;
}

export function isNear(object: Json, text: string): boolean {
  const [latitude = 0, longitude = 0, kilometers = 0] = text.split(',').map(Number);
  const [y, x] = [object['latitude'], object['longitude']];
  return (
    typeof y === 'number' &&
    typeof x === 'number' &&
    distance(latitude, longitude, y, x) <= kilometers + 1e-6
  );
}

/** Whether a key or one above it is this one. */
function isBelow(key: unknown, top: string, above: (key: string) => string | null): boolean {
  for (let at = key as string | null; at !== null && at !== undefined; at = above(at))
    if (at === top) return true;
  return false;
}

/** Whether an object is found by a parameter that is no comparison of one field. */
export function meetsSpecial(scene: Scene, object: Json, name: string, text: string): boolean {
  if (name === 'q') return hasWords(scene, object, text);
  if (name === 'bbox') return isInBox(object, text);
  if (name === 'near') return isNear(object, text);
  const field = name.replace(/_under$/, '');
  if (field === 'location_id') {
    const above = (key: string): string | null =>
      scene.regions.find(({ id }) => id === key)?.parent ?? null;
    return isBelow(object['location_id'] ?? null, text, above);
  }
  const own = field === scene.resource.type ? object['id'] : (object[field] ?? null);
  const tops = namesOf(text, scene);
  return typeof own === 'string' && isBelowOrNamed(own, new Set(tops), scene, new Set());
}

/** A taxon and the names that are accepted for it, one after the other. */
function namesOf(id: string, { accepted }: Scene): string[] {
  const names = [id];
  for (let next = accepted.get(id); next !== undefined && !names.includes(next);) {
    names.push(next);
    next = accepted.get(next);
  }
  return names;
}

/** Whether one of these is met on any way up, by parents and by accepted names. */
function isBelowOrNamed(
  id: string,
  tops: ReadonlySet<string>,
  scene: Scene,
  seen: Set<string>,
): boolean {
  if (tops.has(id)) return true;
  if (seen.has(id)) return false;
  seen.add(id);
  const above = [scene.parents.get(id), scene.accepted.get(id)];
  return above.some((one) => one && isBelowOrNamed(one, tops, scene, seen));
}

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value))
    return value.map((item: unknown) =>
      typeof item === 'object' ? textOf((item as Json)['value']) : textOf(item),
    );
  return value === null || value === undefined ? [] : Object.values(value as Json).map(textOf);
};

/** The texts by whose words an object is found. */
function textsOf(scene: Scene, object: Json, isDirect: boolean): string[] {
  const { resource, readable } = scene;
  return [...resource.fields.values()]
    .filter(({ words }) => words)
    .flatMap((field) => {
      const value = object[field.name] ?? null;
      if (field.kind !== 'reference') return textsIn(value);
      // The encounter of a synonym is found by the names that are accepted for it, too.
      const ids = isDirect ? namesOf(textOf(value), scene) : [];
      return ids.flatMap((id) => {
        const target = readable.get(field.to ?? '')?.get(id);
        return target
          ? textsIn(target['scientific_name'])
              .concat(textsIn(target['vernacular_names']), textsIn(target['authorship']))
              .concat(textsIn(target['names']))
          : [];
      });
    });
}

function hasWords(scene: Scene, object: Json, text: string): boolean {
  if (/^[0-9a-f-]{36}$/i.test(text)) return object['id'] === text.toLowerCase();
  const words = wordsOf(text);
  const texts = textsOf(scene, object, true).map(tokensOf);
  return words.length > 0 && words.every((word) => texts.some((tokens) => hasWord(tokens, word)));
}

const byCodePoint = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The values by which an object is sorted by a field; null without one. */
function sortValue({ kind }: Field, value: unknown): (number | string)[] | null {
  if (value === null || value === undefined) return null;
  if (kind === 'time') {
    return [...orderOf(textOf(value))];
  }
  if (kind === 'instant') return [Date.parse(textOf(value))];
  return [typeof value === 'number' ? value : foldText(textOf(value))];
}

const compare = (a: number | string, b: number | string): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : byCodePoint(textOf(a), textOf(b));

/** The IDs of objects in the order of a search. */
export function inOrder(resource: Resource, objects: readonly Json[], sort: string): string[] {
  const keys = sort === '' ? [] : sort.split(',');
  const isLastDescending = keys.at(-1)?.startsWith('-') ?? false;
  const order = (one: Json, other: Json): number => {
    for (const key of keys) {
      const field = resource.fields.get(key.replace(/^-/, ''));
      if (!field) continue;
      const [a, b] = [sortValue(field, one[field.name]), sortValue(field, other[field.name])];
      if (a === null || b === null) {
        if (a !== b) return a === null ? 1 : -1;
        continue;
      }
      const difference = compare(a[0] ?? 0, b[0] ?? 0) || compare(a[1] ?? 0, b[1] ?? 0);
      if (difference !== 0) return key.startsWith('-') ? -difference : difference;
    }
    const byId = byCodePoint(textOf(one['id']), textOf(other['id']));
    return isLastDescending ? -byId : byId;
  };
  return [...objects].sort(order).map(({ id }) => textOf(id));
}
