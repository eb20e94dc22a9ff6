// @databases sqlite postgres
import { readdir } from 'node:fs/promises';
import type { Service } from '#app/boot/boot';
import { importer, service as itself } from '#app/core/caller';
import { objectsOf } from '#app/plugins/objects/server';
import { prepareBoots, type Boots } from '../helpers/boots';
import { uuid } from '../helpers/ids';

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
}

test('a copied location privacy goes, and one that was given stays', async () => {
  const rows = await knex()('encounters')
    .select<{ document_id: string; location_privacy: string | null; version: number }[]>()
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

test('what has been migrated is not migrated again', async () => {
  await running.close();
  running = await boots.start();
  const names = await knex()(MIGRATIONS).where('name', 'like', '2026-%').pluck<string[]>('name');
  expect(names).toEqual([...new Set(names)]);
  expect([...names].sort()).toEqual(
    (await readdir('dist/database/migrations')).filter(isModule).sort(),
  );
});
