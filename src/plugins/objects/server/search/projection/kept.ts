/** Keeps what searches need of objects, in the transaction of each change: in each version that there is. */
import { join, literal, raw, sql } from '../../database/sql';
import { ask, type Work } from '../../database/work';
import type { Kept, KeptCheck, KeptContext } from '../../declare/behavior';
import type { Resource, Resources } from '../../declare/completed';
import { following } from './follow';
import { projectionOf, type Projection } from './projection';
import { filling, queueWords, rebuilding, SEARCH, type Filling } from './rebuild';
import { projectedRows, type ProjectedRows } from './rows';
import { declaredWords } from './versions/declared';
import { activate, building } from './versions/fill';
import type { OtherVersion, Projections } from './versions/live';

/** What keeps a version, and fills it. */
interface KeptVersion {
  readonly projection: Projection;
  readonly rows: ProjectedRows;
  readonly follow: Kept['follow'];
}

/** The types with what searches need of their objects kept in the transaction of each change. */
export function withSearch(base: Resources, projections: Projections): Resources {
  const all = new Map<string, Resource>();
  const types: string[] = [];
  for (const [type, given] of base) {
    const { searched } = given;
    const resource = searched
      ? { ...given, searched: { ...searched, name: projections.tableOf(type) } }
      : given;
    const kept = searchKept(resource, all, types, projections);
    if (kept) types.push(type);
    all.set(type, kept ? { ...resource, kept: [...resource.kept, kept] } : resource);
  }
  return all;
}

function versionOf(resource: Resource, resources: Resources): KeptVersion | null {
  const projection = projectionOf(resource, resources);
  if (!projection) return null;
  const rows = projectedRows(projection);
  return { projection, rows, follow: following(resource, projection, rows) };
}

/** @param types those that searches keep something of, as soon as all are known */
function searchKept(
  resource: Resource,
  resources: Resources,
  types: readonly string[],
  projections: Projections,
): Kept | null {
  const version = versionOf(resource, resources);
  if (!version) return null;
  const { projection, rows, follow } = version;
  const all = filling(projection, rows);
  const others = otherVersions(resource, resources, projections);
  const renew = function* (ids: Parameters<ProjectedRows['renew']>[0], context: KeptContext) {
    yield* rows.renew(ids, context);
    for (const other of yield* others(context)) yield* other.rows.renew(ids, context);
  };
  return {
    name: SEARCH,
    of: resource.type,
    fields: [...projection.fields],
    keptIn: projection.keptIn,
    renew,
    followsAtOnce: true,
    *follow(affected, context) {
      yield* follow(affected, context);
      for (const other of yield* others(context)) yield* other.follow(affected, context);
    },
    checks: [checkOf(projection, { ...rows, renew })],
    ...(resource.searched
      ? ofVersions(resource, all, types, projection, projections)
      : { ...rebuilding(projection, all, types), version: wordsVersion(resource) }),
  };
}

/** Of a type whose words are kept with those of others. */
const wordsVersion = (resource: Resource): NonNullable<Kept['version']> => ({
  declared: declaredWords(resource),
  isWithheld: true,
  renewAll: (context) => queueWords(resource.type, context),
});

/** The same where the table has versions: a rebuild completes the one that is being filled. */
function ofVersions(
  { type }: Resource,
  all: Filling,
  types: readonly string[],
  projection: Projection,
  projections: Projections,
): Required<Pick<Kept, 'rebuild' | 'later' | 'fill'>> {
  const { rebuild, later } = rebuilding(projection, all, types);
  const named = { type, hash: projections.hashOf(type) };
  return {
    later,
    *rebuild(context) {
      yield* rebuild(context);
      yield* activate(named, context.dialect);
    },
    fill: building(named, all),
  };
}

/**
 * The versions beside that of the code, which this transaction has to write, too. Their rows are held, so that none is
 * removed before it ends; one that is gone already is left out.
 */
function otherVersions(
  resource: Resource,
  resources: Resources,
  projections: Projections,
): (context: KeptContext) => Work<readonly KeptVersion[]> {
  const known = new Map<string, KeptVersion | null>();
  const keptIn = ({ table, isExactOnly }: OtherVersion): KeptVersion[] => {
    const { name } = table;
    if (!known.has(name)) {
      const version = versionOf({ ...resource, searched: table }, resources);
      known.set(
        name,
        version && isExactOnly ? { ...version, follow: anew(version.rows) } : version,
      );
    }
    const version = known.get(name);
    return version ? [version] : [];
  };
  return function* ({ dialect }) {
    const others = projections.others(resource.type);
    if (others.length === 0) return [];
    const hashes = join(others.map(({ version }) => literal(version.hash)));
    const rows = yield* ask(
      sql`select hash from oms_projections where type = ${resource.type}
        and hash in (${hashes}) order by hash${dialect.forKeyShare}`,
    );
    const there = new Set(rows.map(([hash]) => String(hash)));
    return others.filter(({ version }) => there.has(version.hash)).flatMap(keptIn);
  };
}

/** Follows changes of objects of which not the rows may be kept that there would be now: all of them are made anew. */
const anew = ({ drop, renew }: ProjectedRows): Kept['follow'] =>
  function* (affected, context) {
    const { setSize } = context.dialect;
    const gone = affected.filter(({ after }) => after === null).map(({ rowId }) => rowId);
    const there = affected.filter(({ after }) => after !== null).map(({ rowId }) => rowId);
    for (let at = 0; at < gone.length; at += setSize)
      yield* drop(gone.slice(at, at + setSize), context, true);
    const ids = [...new Set(there)];
    for (let at = 0; at < ids.length; at += setSize)
      yield* renew(ids.slice(at, at + setSize), context);
  };

function checkOf(
  { type, table, rows, names, differing }: Projection,
  { renew, dropGone }: ProjectedRows,
): KeptCheck {
  // Another name for the ID of an object: `id` is that of the row.
  const gone = sql`not exists (select 1 from (select o.id as object from ${raw(table)} o) o where o.object = id)`;
  const ofNames = names ? sql` union select id ${names} and ${gone}` : raw('');
  return {
    kind: 'projections',
    over: type,
    differing,
    renew: (ids, context) => renew(ids, context),
    gone: {
      find: sql`select id ${rows} and ${gone}${ofNames}`,
      drop: (context) => dropGone(gone, context, true),
    },
  };
}
