import { randomUUID } from 'node:crypto';
import { sqliteDriver } from '../../src/plugins/objects/server/database/sqlite-driver';
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

/** The floor's database: better-sqlite3 used as in its manual, with the same durability as the service. */
export function openSqlite(file: string): Store {
  const Driver = sqliteDriver();
  const db = new Driver(file);
  for (const pragma of ['journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON']) {
    db.pragma(pragma);
  }
  const find = db.prepare<[string], Row>(encounterSelect('?'));
  const findTaxon = db.prepare<[string], TaxonRow>(taxonSelect('?'));
  const findRelated = db.prepare<[string], RelatedRow>(relatedSelect('?'));
  const findAssets = db.prepare<[unknown], AssetRow>(assetsSelect('?'));
  const insert = db.prepare(
    `insert into encounter (${ENCOUNTER_COLUMNS.join(', ')})
      values (${ENCOUNTER_COLUMNS.map(() => '?').join(', ')})`,
  );
  const remove = db.prepare('delete from encounter where key = ?');
  const remember = db.prepare(
    `insert into history (id, type, object, version, at, action, actor_kind, changes)
      values (?, 'encounter', ?, ?, ?, ?, 'user', ?)`,
  );
  const updates = new Map<string, ReturnType<typeof db.prepare>>();
  const updateOf = (names: readonly string[]) => {
    const sets = names.map((name) => `${name} = ?`).join(', ');
    const known = updates.get(sets);
    if (known) return known;
    const statement = db.prepare(
      `update encounter set version = version + 1, updated_at = ?, ${sets} where key = ?`,
    );
    updates.set(sets, statement);
    return statement;
  };

  const create = db.transaction((encounter: Encounter): string | null => {
    const taxa = findTaxon.all(String(encounter['taxonomy']));
    const [taxon] = taxa;
    if (!taxon) return null;
    const [id, now] = [randomUUID(), Date.now()];
    const whole = completed(encounter, id, now);
    const columns: Encounter = { ...whole, taxonomy: taxon.key };
    insert.run(ENCOUNTER_COLUMNS.map((name) => toColumn(name, columns)));
    remember.run(randomUUID(), id, 1, now, 'create', changesOf(null, whole));
    return id;
  });

  const update = db.transaction((id: string, version: number | null, change: Encounter) => {
    const row = find.get(id);
    if (!row) return null;
    if (version !== null && version !== row.version) return false;
    const [now, next] = [Date.now(), Number(row.version) + 1];
    const names = Object.keys(change) as Column[];
    const values = names.map((name) => toColumn(name, change));
    updateOf(names).run(now, ...values, row.key);
    const before = toWire(row);
    const changes = changesOf(before, { ...before, ...change });
    remember.run(randomUUID(), id, next, now, 'update', changes);
    return next;
  });

  const removeWhole = db.transaction((id: string) => {
    const row = find.get(id);
    if (!row) return false;
    remove.run(row.key);
    const changes = changesOf(toWire(row), null);
    remember.run(randomUUID(), id, row.version, Date.now(), 'delete', changes);
    return true;
  });

  return {
    read: (id) => {
      const row = find.get(id);
      return Promise.resolve(row ? toWire(row) : null);
    },
    readRelated: (id) => {
      const row = findRelated.get(id);
      return Promise.resolve(row ? withRelated(row, findAssets.all(row.key)) : null);
    },
    create: (encounter) => Promise.resolve(create.immediate(encounter)),
    update: (id, version, change) => Promise.resolve(update.immediate(id, version, change)),
    remove: (id) => Promise.resolve(removeWhole.immediate(id)),
    close: () => Promise.resolve(void db.close()),
  };
}
