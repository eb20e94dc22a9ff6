import { randomUUID } from 'node:crypto';
import { Pool, type PoolClient } from 'pg';
import { changesOf, toColumn, toWire, type Encounter, type Row } from './encounter';
import {
  assetsSelect,
  relatedSelect,
  withRelated,
  type AssetRow,
  type RelatedRow,
} from './related';
import { ENCOUNTER_COLUMNS, type Column } from './schema';
import { completed, encounterSelect, taxonSelect, type Store, type TaxonRow } from './store';

/** The size of each of the service's two pools. */
const CONNECTIONS = 10;

const INSERT = {
  name: 'insert',
  text: `insert into encounter (${ENCOUNTER_COLUMNS.join(', ')})
    values (${ENCOUNTER_COLUMNS.map((_, i) => `$${i + 1}`).join(', ')})`,
};
const REMEMBER = {
  name: 'remember',
  text: `insert into history (id, type, object, version, at, action, actor_kind, changes)
    values ($1, 'encounter', $2, $3, $4, $5, 'user', $6)`,
};
const FIND = { name: 'find', text: encounterSelect('$1') };
const FIND_RELATED = { name: 'related', text: relatedSelect('$1') };
const FIND_ASSETS = { name: 'assets', text: assetsSelect('$1') };
const LOCK = { name: 'lock', text: `${encounterSelect('$1')} for update of e` };
const FIND_TAXON = { name: 'taxon', text: taxonSelect('$1') };
const REMOVE = { name: 'remove', text: 'delete from encounter where key = $1' };

/** The floor's database: pg with its pool and named statements, used as in its manual. */
export function openPostgres(url: string): Store {
  const pool = new Pool({ connectionString: url, max: CONNECTIONS });

  async function transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  }

  return {
    async read(id) {
      const { rows } = await pool.query<Row>({ ...FIND, values: [id] });
      return rows[0] ? toWire(rows[0]) : null;
    },

    async readRelated(id) {
      const { rows } = await pool.query<RelatedRow>({ ...FIND_RELATED, values: [id] });
      const [row] = rows;
      if (!row) return null;
      const assets = await pool.query<AssetRow>({ ...FIND_ASSETS, values: [row.key] });
      return withRelated(row, assets.rows);
    },

    create: (encounter) =>
      transaction(async (client) => {
        const values = [String(encounter['taxonomy'])];
        const { rows: taxa } = await client.query<TaxonRow>({ ...FIND_TAXON, values });
        const [taxon] = taxa;
        if (!taxon) return null;
        const [id, now] = [randomUUID(), Date.now()];
        const whole = completed(encounter, id, now);
        const columns: Encounter = { ...whole, taxonomy: taxon.key };
        await client.query({
          ...INSERT,
          values: ENCOUNTER_COLUMNS.map((name) => toColumn(name, columns)),
        });
        const changes = changesOf(null, whole);
        const entry = [randomUUID(), id, 1, now, 'create', changes];
        await client.query({ ...REMEMBER, values: entry });
        return id;
      }),

    update: (id, version, change) =>
      transaction(async (client) => {
        const { rows } = await client.query<Row>({ ...LOCK, values: [id] });
        const [row] = rows;
        if (!row) return null;
        if (version !== null && version !== row.version) return false;
        const [now, next] = [Date.now(), Number(row.version) + 1];
        await client.query(updateOf(Object.keys(change) as Column[], change, now, row.key));
        const before = toWire(row);
        const changes = changesOf(before, { ...before, ...change });
        const entry = [randomUUID(), id, next, now, 'update', changes];
        await client.query({ ...REMEMBER, values: entry });
        return next;
      }),

    remove: (id) =>
      transaction(async (client) => {
        const { rows } = await client.query<Row>({ ...LOCK, values: [id] });
        const [row] = rows;
        if (!row) return false;
        await client.query({ ...REMOVE, values: [row.key] });
        const changes = changesOf(toWire(row), null);
        const entry = [randomUUID(), id, row.version, Date.now(), 'delete', changes];
        await client.query({ ...REMEMBER, values: entry });
        return true;
      }),

    close: () => pool.end(),
  };
}

function updateOf(names: readonly Column[], change: Encounter, now: number, key: unknown) {
  const sets = names.map((name, i) => `${name} = $${i + 3}`).join(', ');
  return {
    name: `update ${names.join()}`,
    text: `update encounter set version = version + 1, updated_at = $1, ${sets} where key = $2`,
    values: [now, key, ...names.map((name) => toColumn(name, change))],
  };
}
