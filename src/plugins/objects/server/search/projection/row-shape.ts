/** Which columns the rows of a type have in a table with a row for each audience, and on which fields each depends. */
import type { Field, Resource } from '../../declare/completed';
import type { SearchTable } from '../../declare/search-table';
import { positionOf } from '../../declare/position';
import { EXACT, sourcesOf } from '../../declare/views';
import { createMarker, type Marker } from './row-marks';
import { namingFields, sortedText, textFields } from './texts';
import { isReference, isSpan } from '../../kinds/traits';

/** The columns of a row before those of fields. */
const HEAD = [
  'key',
  'document_id',
  'id',
  'audience',
  'level',
  'sort_key',
  'cell',
  'words',
  'marks',
];

/** What the rows of a type are made of. */
export interface Shape {
  readonly resource: Resource;
  /** The views, in the order of their levels. */
  readonly levels: readonly string[];
  /** The fields that rows have, by whether they refer to another object. */
  readonly valued: readonly Field[];
  readonly referring: readonly Field[];
  readonly time: Field | undefined;
  /** The text by which rows are sorted, and those whose words they have. */
  readonly text: Field | null;
  readonly texts: readonly Field[];
  /** The references by whose names rows are found, and all references of rows. */
  readonly naming: readonly Field[];
  readonly referred: readonly Field[];
  readonly position: readonly Field[];
  readonly untold: readonly Field[];
  readonly marker: Marker;
  /** The fields of an object that have to be known. */
  readonly loaded: readonly Field[];
  readonly columns: readonly string[];
}

export function shapeOf(resource: Resource, { fields: names }: SearchTable): Shape {
  const { views } = resource;
  const fields = names.flatMap((name) => resource.fields.get(name) ?? []);
  const valued = fields.filter((field) => !isReference(field));
  const referring = fields.filter(isReference);
  const text = sortedText(resource);
  const texts = textFields(resource);
  const naming = namingFields(resource);
  const marker = createMarker(resource);
  const untold = [views?.untold ?? ''].flatMap((name) => resource.fields.get(name) ?? []);
  return {
    resource,
    levels: [EXACT, ...(views?.names ?? [])],
    valued,
    referring,
    time: fields.find(isSpan),
    text,
    texts,
    naming,
    referred: [...new Set([...referring, ...naming])],
    position: positionOf(resource) ?? [],
    untold,
    marker,
    loaded: [
      ...new Set([...valued, ...texts, ...(text ? [text] : []), ...marker.compared, ...untold]),
    ],
    columns: [...HEAD, ...[...valued, ...referring].flatMap((field) => field.columns)],
  };
}

/** The places of columns in a row. */
export interface Places {
  /** Of those that depend on these fields, in rows for others than insiders. */
  readonly placesOf: (fields: ReadonlySet<string>) => readonly number[];
  /** The same in those for insiders: all of these, and those that depend on who they are. */
  readonly insidePlacesOf: (fields: ReadonlySet<string>) => readonly number[];
}

/** The places of the columns that depend on fields. */
export function placesIn({
  columns,
  text,
  texts,
  naming,
  position,
  valued,
  referring,
  marker,
}: Shape): Places {
  /** The fields on which each column of the head depends. */
  const sources: Readonly<Partial<Record<string, readonly Field[]>>> = {
    sort_key: text ? [text] : [],
    cell: position,
    words: [...texts, ...naming],
  };
  const dependsOn = columns.map((name) => {
    const own = [...valued, ...referring].filter((field) => field.columns.includes(name));
    return new Set([...(sources[name] ?? []), ...own].flatMap(sourcesOf));
  });
  const placesOf = (changed: ReadonlySet<string>): number[] =>
    columns.flatMap((_, place) =>
      [...(dependsOn[place] ?? [])].some((name) => changed.has(name)) ? place : [],
    );
  const marked = ['words', 'marks'].map((name) => columns.indexOf(name));
  return {
    placesOf,
    insidePlacesOf: (changed) => [
      ...new Set([
        ...placesOf(changed),
        ...(marker.fields.some((name) => changed.has(name)) ? marked : []),
      ]),
    ],
  };
}
