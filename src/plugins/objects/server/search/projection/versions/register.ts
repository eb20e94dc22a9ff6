/** Makes the versions of projections that the declarations of a start ask for, and notes them. */
import type { Dialect } from '../../../database/database';
import type { SearchIndex } from '../../../database/search-tables';
import { raw, sql, type Sql } from '../../../database/sql';
import { ask, askOne, type Work } from '../../../database/work';
import type { Resource, Resources } from '../../../declare/completed';
import type { SearchTable } from '../../../declare/search-table';
import {
  declaredProjection,
  hashOf,
  storedText,
  usableBy,
  type DeclaredProjection,
} from './declared';
import {
  isVersion,
  nextNumber,
  versionOf,
  VERSIONS,
  type StoredVersion,
  type VersionState,
} from './stored';
import { tableShape } from './table-shape';

/** A projection as this code declares it. */
export interface OwnProjection {
  readonly resource: Resource;
  readonly table: SearchTable;
  readonly declared: DeclaredProjection;
  readonly hash: string;
}

export const ownProjections = (resources: Resources, dialect: Dialect): OwnProjection[] =>
  [...resources.values()].flatMap((resource) => {
    const { searched: table } = resource;
    if (!table) return [];
    const declared = declaredProjection(resource, table, resources, dialect);
    return [{ resource, table, declared, hash: hashOf(declared) }];
  });

/** Where it is registered. */
interface Place {
  readonly dialect: Dialect;
  /** Whether other servers may be running. */
  readonly isShared: boolean;
  /** This release. */
  readonly release: string;
}

/**
 * Registers what is declared. One server at a time does so, before it writes anything (`boot/database.ts`).
 *
 * @returns all versions that there are then
 */
export function* register(own: readonly OwnProjection[], place: Place): Work<StoredVersion[]> {
  const stored = (yield* ask(VERSIONS)).map(versionOf);
  let number = yield* nextNumber();
  for (const one of own) {
    let versions = stored.filter(({ type }) => type === one.resource.type);
    if (versions.length === 0) {
      versions = yield* takeOver(one, number, place);
      number += versions.length;
    }
    if (isRegistered(one, versions)) continue;
    yield* registerOne(one, versions, number, place);
    number += 1;
  }
  const types = new Set(own.map(({ resource }) => resource.type));
  for (const gone of stored.filter(({ type }) => !types.has(type)))
    yield* removeVersion(gone, place.dialect);
  return (yield* ask(VERSIONS)).map(versionOf);
}

/** Whether the last code that was here has declared the same. */
const isRegistered = ({ hash }: OwnProjection, versions: readonly StoredVersion[]): boolean => {
  const last = versions.at(-1);
  return last?.hash === hash && last.state !== 'retired';
};

function* registerOne(
  own: OwnProjection,
  versions: readonly StoredVersion[],
  number: number,
  place: Place,
): Work<void> {
  const { hash } = own;
  const active = versions.find(({ state }) => state === 'active');
  for (const one of versions) if (one !== active) yield* removeVersion(one, place.dialect);
  if (versions.length === 0) return yield* begin(own, number, place);
  // Code that was begun with a change takes it back.
  if (active?.hash === hash) {
    const { release } = place;
    yield* ask(
      sql`update oms_projections set number = ${number}, release = ${release} where ${isVersion(active)}`,
    );
    return;
  }
  const isRead = active && usableBy(own.declared, active.declared);
  if (isRead && (yield* hasRows(own.resource.table))) yield* fence(active, number, place);
  else if (active) yield* removeVersion(active, place.dialect);
  yield* make(own, suffixed(own), place.dialect);
  yield* note(own, suffixed(own), yield* firstState(own), number, place);
}

/** The first version of a database. */
function* begin(own: OwnProjection, number: number, place: Place): Work<void> {
  const { name } = own.table;
  yield* make(own, name, place.dialect);
  yield* note(own, name, yield* firstState(own), number, place);
}

/**
 * Takes the table that migrations have made, of before there were versions, for a version of what is declared now, with those
 * of the indexes that it has. One that consists of something else is removed.
 */
function* takeOver(own: OwnProjection, number: number, place: Place): Work<StoredVersion[]> {
  const { dialect } = place;
  const { name } = own.table;
  if (!(yield* askOne(dialect.searchTables.find(name)))) return [];
  const other = suffixed(own);
  yield* make(own, other, dialect);
  const wanted = yield* partsOf(other, dialect);
  yield* drop(other, dialect);
  const former = yield* partsOf(name, dialect);
  const { indexes } = own.declared;
  const isOf = (part: string, index: SearchIndex): boolean => part.includes(`T_${index.name}_ix`);
  const withoutThem = (parts: readonly string[]): string =>
    JSON.stringify(parts.filter((part) => !indexes.some((index) => isOf(part, index))));
  if (withoutThem(former) !== withoutThem(wanted)) {
    yield* drop(name, dialect);
    return [];
  }
  const isThere = (index: SearchIndex): boolean =>
    wanted.some((part) => isOf(part, index) && former.includes(part));
  const declared = { ...own.declared, indexes: indexes.filter(isThere) };
  const taken = { ...own, declared, hash: hashOf(declared) };
  yield* note(taken, name, 'active', number, place);
  return (yield* ask(VERSIONS)).map(versionOf).filter(({ hash }) => hash === taken.hash);
}

function* partsOf(name: string, { searchTables }: Dialect): Work<string[]> {
  return (yield* ask(searchTables.parts(name))).map(([part]) => String(part));
}

/** Nobody else writes objects any more, so that there is nothing to be done where there are none. */
function* firstState({ resource }: OwnProjection): Work<VersionState> {
  return (yield* hasRows(resource.table)) ? 'building' : 'active';
}

const suffixed = ({ table, hash }: OwnProjection): string => `${table.name}_${hash}`;

function* make({ resource, table }: OwnProjection, name: string, dialect: Dialect): Work<void> {
  for (const statement of dialect.searchTables.make(tableShape(resource, { ...table, name })))
    yield* ask(statement);
}

function* note(
  { resource, hash, declared }: OwnProjection,
  name: string,
  state: VersionState,
  number: number,
  { release, dialect }: Place,
): Work<void> {
  yield* ask(sql`insert into oms_projections
    (type, hash, state, table_name, declaration, number, release, position, since)
    values (${resource.type}, ${hash}, ${state}, ${name}, ${storedText(declared)}, ${number}, ${release},
      ${state === 'building' ? 0 : null}, ${dialect.clock})`);
}

/**
 * Servers of earlier code know the table by its name: what they have begun to write to it is ended first, and whatever they
 * would write later fails. So no change that is in the one version alone comes after the other one has begun.
 */
function* fence(active: StoredVersion, number: number, { dialect, isShared }: Place): Work<void> {
  const { rename } = dialect.searchTables;
  if (!rename || !isShared) return;
  const other = `${active.table.replace(/_b\d+$/, '')}_b${number}`;
  yield* ask(rename(active.table, other));
  yield* ask(sql`update oms_projections set table_name = ${other} where ${isVersion(active)}`);
}

export function* removeVersion(version: StoredVersion, dialect: Dialect): Work<void> {
  yield* ask(sql`delete from oms_projections where ${isVersion(version)}`);
  yield* drop(version.table, dialect);
}

function* drop(name: string, { searchTables }: Dialect): Work<void> {
  for (const statement of searchTables.drop(name)) yield* ask(statement);
}

const hasRows = function* (table: string): Work<boolean> {
  const found: Sql = sql`select 1 from ${raw(table)} limit 1`;
  return (yield* askOne(found)) !== undefined;
};
