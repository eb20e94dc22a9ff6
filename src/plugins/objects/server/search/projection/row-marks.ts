/** The marks of the words of a row that not everybody finds (`rights/marks.ts`). */
import type { Dialect } from '../../database/database';
import { anyOf, join, literal, raw, sql, type Sql, type SqlValue } from '../../database/sql';
import type { Affected } from '../../declare/behavior';
import type { Field, Resource } from '../../declare/completed';
import { EVERYTHING, markOf } from '../../rights/marks';
import { holdersOf } from '../../define/holders';
import type { Body } from '../../declare/objects';
import type { ReferenceCache } from '../../declare/reference-cache';

/** What of an object decides over its marks, beside its fields. */
export interface Ties {
  /** The row IDs of users and of orgs. */
  readonly users: readonly SqlValue[];
  readonly orgs: readonly SqlValue[];
  /** Whether somebody may carry its claim. */
  readonly claimed: boolean;
}

/**
 * Bytes of the tokens of a row with those of all of its marks: PostgreSQL keeps up to 2^20 of a text. What has one user
 * and no org fits, whatever its texts are.
 */
const MAX_BYTES = 1_000_000;

/** Bytes beside a token: its places, and what aligns them. */
const BESIDE = 6;

export interface Marker {
  /** The fields on which the marks of an object depend. */
  readonly fields: readonly string[];
  /** Those of them whose values are looked at. */
  readonly compared: readonly Field[];
  /** The ties of a stored object, as JSON. @param alias of its row */
  readonly tiesOf: (alias: string, dialect: Dialect) => Sql;
  /** The ties of an object after a change; undefined where the transaction does not know them. */
  readonly tiesAfter: (changed: Affected, known: ReferenceCache) => Ties | undefined;
  readonly marksOf: (id: SqlValue, object: Body, ties: Ties | null) => readonly string[];
  /** As many of the tokens as there is room for: all, but of very long texts, or with very many marks. */
  readonly fitting: (tokens: readonly string[], marks: readonly string[]) => readonly string[];
}

export function createMarker(resource: Resource): Marker {
  const holders = holdersOf(resource) ?? { users: [], orgs: [], claims: [] };
  const fieldsOf = (names: readonly string[]): Field[] =>
    names.flatMap((name) => resource.fields.get(name) ?? []);
  const [users, orgs] = [fieldsOf(holders.users), fieldsOf(holders.orgs)];
  const { claims } = holders;
  const compared = claims.flatMap((values) => Object.keys(values));

  /** Whether a claim to an object counts, if there is one. */
  const mayBeClaimed = (object: Body): boolean =>
    claims.some((values) =>
      Object.entries(values).every(([name, value]) => object[name] === value),
    );

  return {
    fields: [...new Set([...holders.users, ...holders.orgs, ...compared])],
    compared: fieldsOf(compared),

    tiesOf(alias, dialect) {
      const columns = users.map(({ columns: [name = 'null'] }) => raw(`${alias}.${name}`));
      const lists = orgs.flatMap(({ link }) =>
        link
          ? sql`select ${raw(`l.${link.target} as id from ${link.table} l where l.${link.source} = ${alias}.id`)}`
          : [],
      );
      const text = (json: Sql): Sql => sql`cast(${json} as text)`;
      const listOf = (rows: readonly Sql[]): Sql =>
        rows.length === 0 ? literal('[]') : text(dialect.jsonList(join(rows, ' union ')));
      const usersRows = columns.map(
        (column) => sql`select ${column} as id where ${column} is not null`,
      );
      const isOwned = anyOf(columns.map((column) => sql`${column} is not null`));
      const isClaimed =
        claims.length === 0
          ? literal('false')
          : sql`case when ${isOwned} and not exists (
              select 1 from oms_claims c where c.object = ${raw(alias)}.document_id) then 'false' else 'true' end`;
      return sql`'{"users":' || ${listOf(usersRows)} || ',"orgs":' || ${listOf(lists)}
        || ',"claimed":' || ${isClaimed} || '}'`;
    },

    tiesAfter({ before, after }, known) {
      if (!after) return undefined;
      const rowsOf = (fields: readonly Field[]): SqlValue[] | undefined => {
        const rows: SqlValue[] = [];
        for (const { name, to } of fields) {
          if (!(name in after)) return undefined;
          for (const id of [after[name] ?? []].flat() as SqlValue[]) {
            const row = known.row(to ?? '', id);
            if (row === undefined) return undefined;
            rows.push(row);
          }
        }
        return rows;
      };
      const [usersRows, orgsRows] = [rowsOf(users), rowsOf(orgs)];
      if (!usersRows || !orgsRows) return undefined;
      // A new object with a user has no claim; whether another one has is not known.
      const isOpen = mayBeClaimed(after) && usersRows.length > 0 && before !== null;
      return isOpen
        ? undefined
        : { users: usersRows, orgs: orgsRows, claimed: usersRows.length === 0 };
    },

    marksOf(id, object, ties) {
      const isClaimed = ties?.claimed && mayBeClaimed(object);
      const holding = new Set([
        ...(ties?.users ?? []).map((row) => markOf('user', String(row))),
        ...(ties?.orgs ?? []).map((row) => markOf('org', String(row))),
        ...(isClaimed ? [markOf('object', String(id))] : []),
      ]);
      return [EVERYTHING, ...[...holding].sort()];
    },

    fitting(tokens, marks) {
      const beside = marks.reduce((bytes, mark) => bytes + Buffer.byteLength(mark) + BESIDE, 0);
      let bytes = 0;
      const end = tokens.findIndex((token) => {
        bytes += beside + marks.length * Buffer.byteLength(token);
        return bytes > MAX_BYTES;
      });
      return end === -1 ? tokens : tokens.slice(0, end);
    },
  };
}
