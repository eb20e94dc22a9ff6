/**
 * The rows of an object in a table that is made for searches (`SearchTable`): one that everybody finds, or, where strangers
 * see the object in another view than the exact one, one for those who see it exactly and, as soon as they are told of it,
 * one for everybody else.
 */
import { amongRows } from '../../database/row-ids';
import { join, literal, raw, sql, type Sql, type SqlValue } from '../../database/sql';
import { ask, type Row, type Work } from '../../database/work';
import type { Affected, KeptContext } from '../../declare/behavior';
import type { Field, Resource, Resources } from '../../declare/completed';
import type { SearchTable } from '../../declare/search-table';
import { definitionOf } from '../../kinds';
import { jsonOf } from '../../read/columns';
import { compileAccess } from '../../rights/access';
import { EXACT, inView, viewOf } from '../../declare/views';
import type { Ties } from './row-marks';
import { placesIn, shapeOf, type Places, type Shape } from './row-shape';
import { privacyKey } from '../../site/settings';
import type { Body } from '../../declare/objects';
import { cellOf } from './cells';
import { AUDIENCE, timeKey } from './keys';
import { referenceToken, sortKeyOf, tokensOfValues } from './texts';

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
export interface RowMaker extends Places {
  /** The columns of a row. */
  readonly columns: readonly string[];
  /** The rows of stored objects. */
  readonly rowsOf: (ids: readonly SqlValue[], context: KeptContext) => Work<SqlValue[][]>;
  /** The rows of an object after a change; null where the transaction does not know all that they are made of. */
  readonly rowsAfter: (changed: Affected, context: KeptContext) => SqlValue[][] | null;
  /** The fields on which the marks of words depend. */
  readonly marking: readonly string[];
}

export function createRowMaker(
  resource: Resource,
  table: SearchTable,
  resources: Resources,
): RowMaker {
  const shape = shapeOf(resource, table);
  const headFor = headsOf(shape, resources);
  return {
    columns: shape.columns,
    *rowsOf(ids, context) {
      const { dialect } = context;
      const made: SqlValue[][] = [];
      for (let at = 0; at < ids.length; at += dialect.setSize) {
        const some = amongRows(ids.slice(at, at + dialect.setSize), dialect);
        const stored = yield* ask(
          sql`select ${headFor(context)} from ${raw(resource.table)} o where o.id ${some}`,
        );
        for (const row of stored) made.push(...rowsOfOne(shape, knownOf(shape, row), context));
      }
      return made;
    },
    rowsAfter(changed, context) {
      const known = knownAfter(shape, changed, context);
      return known && rowsOfOne(shape, known, context);
    },
    ...placesIn(shape),
    marking: shape.marker.fields,
  };
}

/** What is read of stored objects, by the site's privacy. */
function headsOf(
  { resource, loaded, marker, referred }: Shape,
  resources: Resources,
): (context: KeptContext) => Sql {
  const heads = new Map<string, Sql>();
  return ({ dialect, site }) => {
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
      ...referred.map(({ columns: [name = ''] }) => raw(`o.${name}`)),
    ]);
    heads.set(key, head);
    return head;
  };
}

/** What a row of `headsOf` says of an object. */
function knownOf({ referred }: Shape, row: Row): Known {
  const [id = null, documentId = null, view, json, tied, ...rows] = row;
  return {
    id,
    documentId,
    view: String(view),
    object: JSON.parse(String(json)) as Body,
    references: new Map(referred.map((field, at) => [field, rows[at] ?? null])),
    ties: JSON.parse(String(tied)) as Ties,
  };
}

/** What the transaction knows of an object after a change; null where that is not enough. */
function knownAfter(
  { resource: { views }, loaded, referred, marker }: Shape,
  changed: Affected,
  { site, references: known }: KeptContext,
): Known | null {
  const { id, rowId, after } = changed;
  // A ripple reports only what it changes.
  if (!after || !loaded.every(({ name }) => name in after)) return null;
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
  return { id: rowId, documentId: id, view, object: after, references, ties };
}

/** Who finds rows of an object, and what they see of it. */
function audiencesOf({ untold }: Shape, { view, object }: Known): readonly Seen[] {
  if (view === EXACT) return [[AUDIENCE.everybody, EXACT]];
  const isTold = untold.every(({ name }) => (object[name] ?? null) === null);
  return [
    ...(isTold ? [[AUDIENCE.strangers, view] as const] : []),
    [AUDIENCE.insiders, EXACT] as const,
  ];
}

type Seen = readonly [audience: number, view: string];

const rowsOfOne = (shape: Shape, known: Known, context: KeptContext): SqlValue[][] =>
  audiencesOf(shape, known).map((seen) => rowFor(shape, known, seen, context));

function rowFor(
  shape: Shape,
  { id, documentId, object, references, ties }: Known,
  [audience, seen]: Seen,
  { dialect, site }: KeptContext,
): SqlValue[] {
  const { valued, referring, time, text, texts, naming, position, marker, levels } = shape;
  const isInside = audience === AUDIENCE.insiders;
  const reference = (field: Field): SqlValue => references.get(field) ?? null;
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
  const marks = isInside ? marker.marksOf(id, object, ties) : null;
  const words = marks ? marker.fitting(all, marks) : all;
  const key = timeKey(start === null ? null : Number(start));
  return [
    String(key + (isInside ? 1n : 0n)),
    ...[documentId, Number(id), audience, levels.indexOf(seen)],
    ...[text ? sortKeyOf(value(text)) : null, cellFor(position.map(value))],
    ...[dialect.words.text(words, marks), marks && JSON.stringify(marks)],
    ...encoded,
    ...referring.map(reference),
  ];
}
