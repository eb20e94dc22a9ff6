/** The versions of projections that a database has (`oms_projections`). */
import { raw, sql, type Sql } from '../../../database/sql';
import { askOne, type Row, type Work } from '../../../database/work';
import type { DeclaredProjection } from './declared';

export type VersionState =
  /** Searches read it. */
  | 'active'
  /** It is being filled; every change of objects writes it. */
  | 'building'
  /** Servers may still read it: every change writes it for a while. */
  | 'retired';

/** A version of a projection. */
export interface StoredVersion {
  readonly type: string;
  readonly hash: string;
  readonly state: VersionState;
  readonly table: string;
  readonly declared: DeclaredProjection;
  /** Counts what code has registered: where there is a later one than a server knows, the server is too old. */
  readonly number: number;
  /** The release that has registered it. */
  readonly release: string;
}

/** Selects all versions, for `versionOf`. */
export const VERSIONS: Sql = raw(
  'select type, hash, state, table_name, declaration, number, release from oms_projections order by number',
);

export function versionOf([
  type,
  hash,
  state,
  table,
  declaration,
  number,
  release,
]: Row): StoredVersion {
  return {
    type: String(type),
    hash: String(hash),
    state: String(state) as VersionState,
    table: String(table),
    declared: JSON.parse(String(declaration)) as DeclaredProjection,
    number: Number(number),
    release: String(release),
  };
}

type Named = Pick<StoredVersion, 'type' | 'hash'>;

/** The condition of the row of a version. */
export const isVersion = ({ type, hash }: Named): Sql => sql`type = ${type} and hash = ${hash}`;

/** Selects the last number that code has registered, here and for what is kept in place (`in-place.ts`). */
export const lastNumber: Sql = raw(
  'select max(n.number) from (select number from oms_projections union all select number from oms_kept_versions) n',
);

export function* nextNumber(): Work<number> {
  return Number((yield* askOne(lastNumber))?.[0] ?? 0) + 1;
}
