// @databases sqlite postgres
import { readdir } from 'node:fs/promises';
import type { Service } from '#app/boot/boot';
import { importer, service as itself } from '#app/core/caller';
import { backgroundOf, objectsOf } from '#app/plugins/objects/server';
import { cellOf } from '#app/plugins/objects/server/search/cells';
import { prepareBoots, type Boots } from '../helpers/boots';
import { testDatabase } from '../helpers/database';
import { uuid } from '../helpers/ids';
import { runScript } from '../helpers/process';

const isModule = (name: string): boolean => name.endsWith('.js');
const MIGRATIONS = 'strapi_migrations';
const [EQUUS, ZEBRA] = [uuid(0x1), uuid(0x2)];
const [COPIED, GIVEN, CHANGED, OF_THE_SITE, GONE] = [0x11, 0x12, 0x13, 0x14, 0x15].map(uuid) as [
  string,
  string,
  string,
  string,
  string,
];
const PERSON = uuid(0x21);

let boots: Boots;
let running: Service;
beforeAll(async () => {
  boots = await prepareBoots();
  running = await boots.start();
  await fillAsBefore();
  await running.close();
  running = await boots.start();
});
afterAll(async () => {
  await running?.close();
  await boots?.drop();
});

const knex = () => running.strapi.db.connection;
const write = (type: string, body: Record<string, unknown>): Promise<unknown> =>
  objectsOf(running.strapi).write({ op: 'create', type, body }, importer('a package'));
const setPrivacy = (id: string, value: string): Promise<unknown> =>
  objectsOf(running.strapi).write(
    { op: 'update', type: 'encounter', id, body: { location_privacy: value } },
    itself,
  );

/** A database in which the first three migrations of this release have not run: with copied values, without their tables. */
async function fillAsBefore(): Promise<void> {
  await write('user', {
    id: PERSON,
    name: 'Zoë',
    email: 'zoe@example.org',
    password: 'her 1 proof',
  });
  await write('taxonomy', { id: EQUUS, scientific_name: 'Equus', location_privacy: 'private' });
  await write('taxonomy', { id: ZEBRA, scientific_name: 'Equus quagga', parent: EQUUS });
  await write('encounter', {
    id: COPIED,
    taxonomy: ZEBRA,
    location_privacy: 'private',
    owner: PERSON,
  });
  await write('encounter', { id: GIVEN, taxonomy: ZEBRA, location_privacy: 'obscured' });
  await write('encounter', { id: CHANGED, taxonomy: ZEBRA, location_privacy: 'private' });
  await setPrivacy(CHANGED, 'open');
  await setPrivacy(CHANGED, 'private');
  await write('encounter', { id: OF_THE_SITE, location_privacy: 'open' });
  await write('encounter', { id: GONE });
  await objectsOf(running.strapi).write({ op: 'delete', type: 'encounter', id: GONE }, itself);
  for (const table of ['oms_deleted_ids', 'oms_history_mentions'])
    await knex().schema.dropTable(table);
  await knex()(MIGRATIONS)
    .whereRaw("name like '2026-11-22-_-%' and name < '2026-11-22-4'")
    .delete();
  await searchAsBefore();
  await knex().raw('create index encounters_created_at_ix on encounters (created_at)');
  await knex()(MIGRATIONS).where('name', 'like', '%order-indexes%').delete();
}

/** Positions at the edges of the map, and some others. */
const POSITIONS = [90, -90, 0, 45.5, -2.3333, 89.999999].flatMap((latitude) =>
  [180, -180, 0, 34.8333, -179.999999].map((longitude) => ({ latitude, longitude })),
);

/** What is kept for searches, without cells. */
async function searchAsBefore(): Promise<void> {
  for (const position of POSITIONS)
    await write('encounter', { ...position, sex: 'male', group_size: 3, remarks: 'by the river' });
  const table = 'oms_search_encounters';
  for (const index of ['cell', 'days']) await knex().raw(`drop index ${table}_${index}_ix`);
  await knex().raw(`alter table ${table} drop column cell`);
  await knex().raw(`create index ${table}_place_ix on ${table} (latitude, longitude)`);
  await knex().raw(`drop table if exists ${table}_terms`);
  await knex()(MIGRATIONS).where('name', 'like', '%search-places%').delete();
  await textsAsBefore();
}

const FIELDS = ['sex', 'life_stage', 'living_status', 'basis_of_record', 'group_size'];

/** What is kept for searches, with words that the index of SQLite alone knows. */
async function textsAsBefore(): Promise<void> {
  const [table, objects] = ['oms_search_encounters', 'oms_search_objects'];
  for (const name of FIELDS) await knex().raw(`alter table ${table} drop column ${name}`);
  await knex()(MIGRATIONS).where('name', 'like', '%search-texts%').delete();
  if (testDatabase === 'postgres') return;
  for (const one of [table, objects]) {
    await knex().raw(`drop table ${one}_words`);
    await knex().raw(`alter table ${one} drop column words`);
    await knex().raw(
      `create virtual table ${one}_words using fts5(t, content='', contentless_delete=1, tokenize='ascii')`,
    );
  }
}

test('a copied location privacy goes, and one that was given stays', async () => {
  const rows = await knex()('encounters')
    .select<{ document_id: string; location_privacy: string | null; version: number }[]>()
    .whereNull('latitude')
    .orderBy('document_id');
  expect(rows.map((row) => [row.document_id, row.location_privacy, row.version])).toEqual([
    [COPIED, null, 2],
    [GIVEN, 'obscured', 1],
    [CHANGED, 'private', 3],
    [OF_THE_SITE, null, 2],
  ]);
  const entry = await knex()('oms_history').where({ object: COPIED, version: 2 }).first<Entry>();
  expect(entry).toMatchObject({ type: 'encounter', action: 'update', actor_kind: 'system' });
  expect(entry.changes).toBe('[["location_privacy","private",null]]');
});

test('positions have their cells', async () => {
  const rows = await knex()('oms_search_encounters').whereNotNull('latitude').select<Place[]>();
  expect(rows).toHaveLength(POSITIONS.length);
  for (const { latitude, longitude, cell } of rows)
    expect(Number(cell)).toBe(cellOf(latitude, longitude));
});

test('a running service gives rows their words, and all fields are there at once', async () => {
  const table = 'oms_search_encounters';
  const exact = knex()(table).whereNot('audience', 1).orderBy('id');
  const stored = knex()('encounters').orderBy('id');
  expect(await exact.select('id', ...FIELDS)).toEqual(await stored.select('id', ...FIELDS));
  await backgroundOf(running.strapi).workOff();
  expect(await knex()(table).whereNull('words').select('id')).toEqual([]);
  expect(await knex()('oms_search_objects').whereNull('words').select('id')).toEqual([]);
  expect(await knex()('oms_search_jobs').select()).toEqual([]);
});

test('the index of a time alone gives way to the one with the ID beside it', async () => {
  const isPostgres = testDatabase === 'postgres';
  const found = isPostgres
    ? knex()('pg_indexes').where('tablename', 'encounters').pluck('indexname')
    : knex()('sqlite_master').where({ type: 'index', tbl_name: 'encounters' }).pluck('name');
  const names = ((await found) as string[]).filter((name) => name.includes('created_at'));
  expect(names).toEqual(['encounters_created_at_order_ix']);
});

interface Place {
  readonly latitude: number;
  readonly longitude: number;
  readonly cell: number | string;
}

interface Entry {
  readonly changes: string;
}

test('the ID of an object that was deleted before is not used again', async () => {
  await expect(write('encounter', { id: GONE })).rejects.toMatchObject({ key: 'MALFORMED' });
});

test('an account that is mentioned in older entries is erased from them', async () => {
  await objectsOf(running.strapi).write({ op: 'delete', type: 'user', id: PERSON }, itself);
  const texts = await knex()('oms_history').pluck<string[]>('changes');
  expect(texts.filter((text) => text.includes(PERSON))).toEqual([]);
});

test('a running service makes anew what searches use', async () => {
  const table = 'oms_search_encounters';
  const kept = () =>
    knex()(table).orderBy('id').select<{ id: number }[]>('id', 'document_id', 'latitude', 'cell');
  const right = await kept();
  const [{ id = 0 } = {}] = right;
  await knex()(table).where({ id }).delete();
  await knex()(table).where('id', '>', id).update({ cell: 1 });
  await knex().raw(
    `insert into ${table} (key, id, document_id, audience, level) values (1, 1000000, 'gone', 0, 0)`,
  );
  expect(await kept()).not.toEqual(right);
  const script = await runScript('reindex', boots.env);
  expect([await script.ended, script.errors()]).toEqual([0, '']);
  await backgroundOf(running.strapi).workOff();
  expect(await kept()).toEqual(right);
  expect(await knex()('oms_search_jobs').select()).toEqual([]);
  if (testDatabase === 'postgres') return;
  const parts = await knex()(`${table}_words_idx`).distinct('segid');
  expect(parts).toHaveLength(1);
});

test('what has been migrated is not migrated again', async () => {
  await running.close();
  running = await boots.start();
  const names = await knex()(MIGRATIONS).where('name', 'like', '2026-%').pluck<string[]>('name');
  expect(names).toEqual([...new Set(names)]);
  expect([...names].sort()).toEqual(
    (await readdir('dist/database/migrations')).filter(isModule).sort(),
  );
});
