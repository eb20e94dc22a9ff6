/** What searches keep of the objects of a type: in a table with a row for each audience, or in one with the words of all. */
import { raw, sql, type Sql } from '../../database/sql';
import type { KeptColumns } from '../../declare/behavior';
import type { Field, Resource, Resources } from '../../declare/completed';
import type { SearchTable } from '../../declare/search-table';
import { holdersOf } from '../../define/holders';
import { createAudiences, keptInTable, type Audiences } from './audiences';
import { movableFields } from './moved';
import { keptNames, NAMES } from './names';
import { createParts, OBJECTS, type Keep, type Parts } from './parts';
import { namingFields, sortedText, textFields } from './texts';

export interface Projection {
  readonly type: string;
  /** The type's own table. */
  readonly table: string;
  /** The table of the projection, and `from` and `where` of the type's rows in it. */
  readonly kept: string;
  readonly rows: Sql;
  /** The same of the names by which objects are suggested; null for a type without. */
  readonly names: Sql | null;
  readonly keptIn: readonly KeptColumns[];
  /** The fields on which it depends. */
  readonly fields: ReadonlySet<string>;
  /** Whether words have marks (`rights/marks.ts`). */
  readonly isMarked: boolean;
  readonly keep: Keep;
  /** Those of these objects of which something else is kept. */
  readonly differing: Parts['differing'];
  /** Of a table with a row for each audience; null for the other one. */
  readonly ofAudiences: {
    readonly table: SearchTable;
    readonly audiences: Audiences;
    /** References that can be changed alone. */
    readonly movable: ReadonlyMap<string, Field>;
    /** The fields that decide over who finds the words of objects. */
    readonly marking: ReadonlySet<string>;
  } | null;
}

/** @returns null for a type of which searches need nothing */
export function projectionOf(resource: Resource, resources: Resources): Projection | null {
  const { type, table, searched, suggested, single } = resource;
  if (single !== null) return null;
  const text = sortedText(resource);
  const own = [...textFields(resource), ...namingFields(resource), ...(text ? [text] : [])];
  const ofAudiences = searched && ofTable(resource, searched, resources);
  const fields = new Set([
    ...own.map(({ name }) => name),
    ...(ofAudiences ? decidingOver(resource, ofAudiences) : []),
  ]);
  if (fields.size === 0) return null;
  const kept = searched?.name ?? OBJECTS;
  return {
    type,
    table,
    kept,
    rows: sql`from ${raw(kept)} where ${searched ? raw('1 = 1') : sql`type = ${type}`}`,
    names: suggested ? sql`from ${raw(NAMES)} where type = ${type}` : null,
    keptIn: [
      searched ? keptInTable(resource, searched) : KEPT_IN_OBJECTS,
      ...(suggested ? [keptNames] : []),
    ],
    fields,
    isMarked: searched !== null,
    ...partsOf(ofAudiences?.audiences ?? createParts(resource)),
    ofAudiences,
  };
}

const partsOf = ({ keep, differing }: Parts): Parts => ({ keep, differing });

const KEPT_IN_OBJECTS: KeptColumns = {
  table: OBJECTS,
  key: 'document_id',
  columns: ['type', 'id', 'part', 'sort_key', 'words'],
};

function ofTable(
  resource: Resource,
  table: SearchTable,
  resources: Resources,
): NonNullable<Projection['ofAudiences']> {
  const holders = holdersOf(resource);
  return {
    table,
    audiences: createAudiences(resource, table, resources),
    movable: movableFields(resource, table),
    marking: new Set([...(holders?.users ?? []), ...(holders?.orgs ?? [])]),
  };
}

const decidingOver = (
  { views }: Resource,
  { table, marking }: NonNullable<Projection['ofAudiences']>,
): readonly string[] => [...table.fields, ...marking, ...(views?.untold ? [views.untold] : [])];
