/**
 * The rows of an object in a table that is made for searches (`SearchTable`): one that everybody finds, or, where strangers
 * see the object in another view than the exact one, one for those who see it exactly and, as soon as they are told of it,
 * one for everybody else.
 */
import { randomInt } from 'node:crypto';
import { amongRows } from '../../database/row-ids';
import { join, literal, raw, sql, type Sql, type SqlValue } from '../../database/sql';
import { ask, type Row, type Work } from '../../database/work';
import type { Affected, KeptContext } from '../../declare/behavior';
import type { Field, Resource, Resources } from '../../declare/completed';
import type { SearchTable } from '../../declare/declaration';
import { definitionOf } from '../../kinds';
import { jsonOf } from '../../read/columns';
import { compileAccess } from '../../rights/access';
import { EXACT, inView, sourcesOf, viewOf } from '../../declare/views';
import { createMarker, type Ties } from './row-marks';
import { privacyKey } from '../../site/settings';
import type { Body } from '../../declare/objects';
import { cellOf } from './cells';
import { positionOf } from '../../declare/position';
import {
  namingFields,
  referenceToken,
  sortedText,
  sortKeyOf,
  textFields,
  tokensOfValues,
} from './texts';

/** Who finds a row. */
export const AUDIENCE = { everybody: 0, strangers: 1, insiders: 2 } as const;

/** Units of the time in a key: 16 milliseconds; from the year 1716, for more than a thousand years. */
const UNIT = 16n;
const FIRST = -8_000_000_000_000n;
const UNITS = (1n << 41n) - 1n;
/** For the rows of the same time. One whose key is taken has the next free one, be it among those of the next unit. */
export const BITS = 22n;

/** The least key of a time: rows without one are before all others. */
export function leastKey(start: number | null): bigint {
  const units = start === null ? -1n : (BigInt(start) - FIRST) / UNIT;
  const unit = units < 0n ? (start === null ? -1n : 0n) : units < UNITS ? units : UNITS - 1n;
  return unit << BITS;
}

/** A key among those of a time. By chance: the order in which objects were made tells of those that nobody may know. */
const timeKey = (start: number | null): bigint =>
  leastKey(start) + BigInt(randomInt(2 ** Number(BITS)));

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

const isReference = ({ kind }: Field): boolean => kind === 'reference';

/** The cell of a position, if there is one. */
const cellFor = ([latitude, longitude]: readonly unknown[]): number | null =>
  typeof latitude === 'number' && typeof longitude === 'number'
    ? cellOf(latitude, longitude)
    : null;

/** What the rows of an object are made of. */
interface Known {
  readonly id: SqlValue;
  readonly documentId: SqlValue;
  /** The view of strangers. */
  readonly view: string;
  readonly object: Body;
  /** The row IDs of what it refers to. */
  readonly references: ReadonlyMap<Field, SqlValue>;
  /** What decides over the marks of its words; null where it has none. */
  readonly ties: Ties | null;
}

/** Makes the rows of the objects of a type. */
export interface RowMaker {
  /** The columns of a row. */
  readonly columns: readonly string[];
  /** The rows of stored objects. */
  readonly rowsOf: (ids: readonly SqlValue[], context: KeptContext) => Work<SqlValue[][]>;
  /** The rows of an object after a change; null where the transaction does not know all that they are made of. */
  readonly rowsAfter: (changed: Affected, context: KeptContext) => SqlValue[][] | null;
  /** The places of the columns that depend on these fields, in rows for others than insiders. */
  readonly placesOf: (fields: ReadonlySet<string>) => readonly number[];
  /** The same in those for insiders: all of these, and those that depend on who they are. */
  readonly insidePlacesOf: (fields: ReadonlySet<string>) => readonly number[];
  /** The fields on which the marks of words depend. */
  readonly marking: readonly string[];
}

export function createRowMaker(
  resource: Resource,
  { fields: names }: SearchTable,
  resources: Resources,
): RowMaker {
  const { table, views } = resource;
  const levels = [EXACT, ...(views?.names ?? [])];
  const fields = names.flatMap((name) => resource.fields.get(name) ?? []);
  const valued = fields.filter((field) => !isReference(field));
  const referring = fields.filter(isReference);
  const time = fields.find(({ kind }) => kind === 'time');
  const text = sortedText(resource);
  const texts = textFields(resource);
  const naming = namingFields(resource);
  const marker = createMarker(resource);
  const untold = [views?.untold ?? ''].flatMap((name) => resource.fields.get(name) ?? []);
  const loaded = [
    ...new Set([...valued, ...texts, ...(text ? [text] : []), ...marker.compared, ...untold]),
  ];
  const position = positionOf(resource) ?? [];
  const columnOf = ({ columns: [name = ''] }: Field): string => name;
  const columns = [...HEAD, ...[...valued, ...referring].flatMap((field) => field.columns)];
  const referred = [...new Set([...referring, ...naming])];

  /** What is read of the objects, by the site's privacy. */
  const heads = new Map<string, Sql>();
  function headFor({ dialect, site }: KeptContext): Sql {
    const key = privacyKey(site);
    const known = heads.get(key);
    if (known) return known;
    const nobody = { role: 'anonymous', claims: false } as const;
    const alone = { resources, dialect, access: () => undefined, privacy: site };
    const strangersView = compileAccess(resource, nobody, new Set(), alone).view('o');
    const asStored = {
      role: 'administrator',
      resources,
      dialect,
      access: null,
      site,
    } as const;
    const head = join([
      raw('o.id'),
      raw('o.document_id'),
      strangersView ?? literal(EXACT),
      jsonOf(loaded, asStored),
      marker.tiesOf('o', dialect),
      ...referred.map((field) => raw(`o.${columnOf(field)}`)),
    ]);
    heads.set(key, head);
    return head;
  }

  function rowsOfRow(row: Row, context: KeptContext): SqlValue[][] {
    const [id = null, documentId = null, view, json, tied, ...rows] = row;
    const references = new Map(referred.map((field, at) => [field, rows[at] ?? null]));
    const object = JSON.parse(String(json)) as Body;
    const ties = JSON.parse(String(tied)) as Ties;
    return rowsOfOne({ id, documentId, view: String(view), object, references, ties }, context);
  }

  function rowsAfter(changed: Affected, context: KeptContext): SqlValue[][] | null {
    const { id, rowId, after } = changed;
    // A ripple reports only what it changes.
    if (!after || !loaded.every(({ name }) => name in after)) return null;
    const { site, references: known } = context;
    const view = views ? views.othersKnown(after, site, (asked) => known.answer(asked)) : EXACT;
    const references = new Map<Field, SqlValue>();
    for (const field of referred) {
      const target = (after[field.name] ?? null) as SqlValue;
      const row = target === null ? null : known.row(field.to ?? '', target);
      if (row === undefined) return null;
      references.set(field, row);
    }
    if (view === undefined) return null;
    const ties = view === EXACT ? null : marker.tiesAfter(changed, known);
    if (ties === undefined) return null;
    return rowsOfOne({ id: rowId, documentId: id, view, object: after, references, ties }, context);
  }

  function rowsOfOne(
    { id, documentId, view, object, references, ties }: Known,
    { dialect, site }: KeptContext,
  ): SqlValue[][] {
    const reference = (field: Field): SqlValue => references.get(field) ?? null;
    const isTold = untold.every(({ name }) => (object[name] ?? null) === null);
    const audiences =
      view === EXACT
        ? [[AUDIENCE.everybody, EXACT] as const]
        : [
            ...(isTold ? [[AUDIENCE.strangers, view] as const] : []),
            [AUDIENCE.insiders, EXACT] as const,
          ];
    const rows: SqlValue[][] = [];
    for (const [audience, seen] of audiences) {
      const value = (field: Field): unknown => inView(field, seen, object, site) ?? null;
      const encoded: SqlValue[] = [];
      let start: SqlValue = null;
      for (const field of valued) {
        const values = definitionOf(field.kind).encode(value(field), dialect);
        if (field === time) [, start = null] = values;
        for (const one of values) encoded.push(one);
      }
      const tokens = naming.flatMap((field) => {
        const target = reference(field);
        const isShown = target !== null && viewOf(field, seen, site) === 'shown';
        return isShown ? [referenceToken(field.name, String(target))] : [];
      });
      const all = [...tokens, ...tokensOfValues(texts.map(value))];
      const marks = audience === AUDIENCE.insiders ? marker.marksOf(id, object, ties) : null;
      const words = marks ? marker.fitting(all, marks) : all;
      const key = timeKey(start === null ? null : Number(start));
      rows.push([
        String(key + BigInt(audience === AUDIENCE.insiders ? 1 : 0)),
        ...[documentId, Number(id), audience, levels.indexOf(seen)],
        ...[text ? sortKeyOf(value(text)) : null, cellFor(position.map(value))],
        ...[dialect.words.text(words, marks), marks && JSON.stringify(marks)],
        ...encoded,
        ...referring.map(reference),
      ]);
    }
    return rows;
  }

  function* rowsOf(ids: readonly SqlValue[], context: KeptContext): Work<SqlValue[][]> {
    const { dialect } = context;
    const made: SqlValue[][] = [];
    for (let at = 0; at < ids.length; at += dialect.setSize) {
      const some = amongRows(ids.slice(at, at + dialect.setSize), dialect);
      const stored = yield* ask(
        sql`select ${headFor(context)} from ${raw(table)} o where o.id ${some}`,
      );
      for (const row of stored) made.push(...rowsOfRow(row, context));
    }
    return made;
  }

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
  const insidePlacesOf = (changed: ReadonlySet<string>): number[] => [
    ...new Set([
      ...placesOf(changed),
      ...(marker.fields.some((name) => changed.has(name)) ? marked : []),
    ]),
  ];
  return { columns, rowsOf, rowsAfter, placesOf, insidePlacesOf, marking: marker.fields };
}
