// @databases sqlite postgres
import { distRoot } from '#app/boot/app-root';
import type { Service } from '#app/boot/boot';
import { runBeside } from '#app/boot/database';
import { readEnvironment } from '#app/boot/environment';
import { MIGRATION_NAME, migrationNames } from '#app/boot/migrations';
import { readRelease, releaseVersion } from '#app/boot/release';
import { importer, service as itself } from '#app/core/caller';
import { backgroundOf, objectsOf } from '#app/plugins/objects/server';
import { cellOf } from '#app/plugins/objects/server/search/projection/cells';
import { prepareBoots, type Boots } from '../helpers/boots';
import { testDatabase } from '../helpers/database';
import { uuid } from '../helpers/ids';
import { runScript } from '../helpers/process';
import { expectRefused, testRehearsal, upgradeRehearsed, type Upgrade } from './upgrade/rehearsed';
import { fillUndated, MADE, testToldLate, undatedAsBefore } from './upgrade/told-late';
import { FILLED, fillTimesAndClaims, testTimesAndClaims } from './upgrade/times-and-claims';

const MIGRATIONS = 'strapi_migrations';
const [EQUUS, ZEBRA, OPEN] = [uuid(0x1), uuid(0x2), uuid(0x3)];
const [COPIED, GIVEN, CHANGED, OF_THE_SITE, GONE] = [0x11, 0x12, 0x13, 0x14, 0x15].map(uuid) as [
  string,
  string,
  string,
  string,
  string,
];
const PERSON = uuid(0x21);
const [ANIMALS, SIGN, LETTER, BLANKS] = [0x31, 0x32, 0x33, 0x34].map(uuid) as [
  string,
  string,
  string,
  string,
];

let boots: Boots;
let running: Service;
let upgrade: Upgrade;
beforeAll(async () => {
  boots = await prepareBoots();
  // As after a start of a server: the database has the name of the installation and its secret.
  running = await boots.start({ accepted: { storage: 'adopt', secret: 'adopt' } });
  await fillAsBefore();
  await running.close();
  upgrade = await upgradeRehearsed(boots);
  running = await boots.start();
  // The table of searches is of before there were versions, and of another shape: it is made anew.
  expect(await versions()).toMatchObject([{ state: 'building' }]);
  await backgroundOf(running.strapi).workOff();
  expect(await versions()).toMatchObject([{ state: 'active' }]);
});
afterAll(async () => {
  await running?.close();
  await boots?.drop();
});

const knex = () => running.strapi.db.connection;
const versions = async () =>
  knex()('oms_projections').select<{ state: string; hash: string; table_name: string }[]>();
/** The table in which encounters are searched. */
const searched = async (): Promise<string> => (await versions())[0]?.table_name ?? '';
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
  await write('taxonomy', { id: OPEN, scientific_name: 'Anas' });
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
  await fillTimesAndClaims(knex(), write, OPEN);
  await fillUndated(knex(), write);
  await namesAsBefore();
  for (const table of ['oms_deleted_ids', 'oms_history_mentions'])
    await knex().schema.dropTable(table);
  await knex()(MIGRATIONS)
    .whereIn('name', [
      '0002-deleted-ids.js',
      '0003-history-mentions.js',
      '0004-given-location-privacy.js',
    ])
    .delete();
  await searchAsBefore();
  await knex().raw('create index encounters_created_at_ix on encounters (created_at)');
  await knex()(MIGRATIONS).where('name', 'like', '%order-indexes%').delete();
  await undatedAsBefore(knex());
  for (const { name } of await knex()(MIGRATIONS).select<{ name: string }[]>('name'))
    await knex()(MIGRATIONS)
      .where({ name })
      .update({ name: FORMER_NAMES.get(name) ?? name });
}

/** Names of taxa by their letters and signs alone, in all kingdoms together. */
async function namesAsBefore(): Promise<void> {
  await write('taxonomy', { id: ANIMALS, scientific_name: 'Animalia', rank: 'kingdom' });
  await write('taxonomy', { id: SIGN, scientific_name: 'Ovis × musimon', parent: ANIMALS });
  await write('taxonomy', { id: LETTER, scientific_name: 'Ovis other', parent: SIGN });
  await write('taxonomy', { id: BLANKS, scientific_name: 'Ovis blank', parent: SIGN });
  const stored = { [LETTER]: 'Ovis x musimon', [BLANKS]: 'Ovis  aries' };
  for (const [id, name] of Object.entries(stored))
    await knex()('taxonomies')
      .where({ document_id: id })
      .update({ scientific_name: name, name_key: `${name.toLowerCase()}\u001f` });
  await knex().schema.alterTable('taxonomies', (table) => {
    table.dropUnique(['name_key', 'kingdom'], 'taxonomies_name_key_kingdom_uq');
  });
  await knex().schema.alterTable('taxonomies', (table) => {
    table.dropColumn('kingdom');
    table.unique(['name_key'], { indexName: 'taxonomies_name_key_uq' });
  });
  for (const [context, value] of [
    ['catalog', 'T 1'],
    ['catalog', 'T 2'],
  ])
    await write('individual', { names: [{ context, value }] });
  await write('org', { name: 'Wild' });
  await write('org', { name: 'Tame' });
  await knex()('individuals')
    .whereRaw(`cast(names as text) like '%T 2%'`)
    .update({
      names: JSON.stringify([{ context: 'catalog', value: '\u0422 1', preferred: false }]),
    });
  await knex()('orgs').where({ name: 'Tame' }).update({ name: 'W\u0456ld', name_key: 'w\u0456ld' });
  await knex()(MIGRATIONS)
    .where('name', 'like', '%kingdoms%')
    .orWhere('name', 'like', '%that-look-alike%')
    .delete();
}

/** The names that the migrations had before there was a counter. */
const FORMER_NAMES = new Map([
  ['0001-own-tables.js', '2026-11-21-1-own-tables.js'],
  ['0005-assets.js', '2026-11-22-4-assets.js'],
  ['0006-generalized.js', '2026-11-22-5-generalized.js'],
  ['0007-memberships.js', '2026-11-22-5-memberships.js'],
  ['0008-individual-names.js', '2026-11-22-7-individual-names.js'],
  ['0009-relationships.js', '2026-11-22-8-relationships.js'],
  ['0010-privacy.js', '2026-11-22-9-privacy.js'],
  ['0011-history-indexes.js', '2026-11-23-1-history-indexes.js'],
  ['0012-search.js', '2026-11-23-2-search.js'],
  ['0013-search-external-id.js', '2026-11-24-1-search-external-id.js'],
  ['0015-search-covering.js', '2026-11-25-1-search-covering.js'],
]);

/** Positions at the edges of the map, and some others. */
const POSITIONS = [90, -90, 0, 45.5, -2.3333, 89.999999].flatMap((latitude) =>
  [180, -180, 0, 34.8333, -179.999999].map((longitude) => ({ latitude, longitude })),
);

/** What is kept for searches, without cells. */
async function searchAsBefore(): Promise<void> {
  for (const position of POSITIONS)
    await write('encounter', {
      ...{ ...position, taxonomy: OPEN, sex: 'male', group_size: 3 },
      remarks: 'by the river',
    });
  const table = 'oms_search_encounters';
  for (const index of await searchIndexes())
    if (/_(?:told|inside)_ix$/.test(index)) await knex().raw(`drop index ${index}`);
  for (const [name, column] of Object.entries({ taxonomy: 'taxonomy_id', country: 'country_code' }))
    await knex().raw(`create index ${table}_${name}_ix on ${table} (${column}, time_start)`);
  if (testDatabase === 'sqlite') await leaveOutAsBefore(`${table}_owner_ix`, table);
  await knex().raw(`alter table ${table} drop column cell`);
  await knex().raw(`create index ${table}_place_ix on ${table} (latitude, longitude)`);
  await knex().raw(`drop table if exists ${table}_terms`);
  await knex()(MIGRATIONS)
    .where('name', 'like', '%search-places%')
    .orWhere('name', 'like', '%search-partitions%')
    .orWhere('name', 'like', '%-projections%')
    .delete();
  await knex().schema.dropTable('oms_projections');
  await textsAsBefore();
}

/** An index that a killed import has left out, to be made again at the next start. */
async function leaveOutAsBefore(name: string, table: string): Promise<void> {
  await knex().raw('create table oms_left_out_indexes (name text primary key, sql text not null)');
  const made = `create index ${name} on ${table} (owner_id, time_start)`;
  await knex()('oms_left_out_indexes').insert({ name, sql: made });
}

const searchIndexes = async (): Promise<readonly string[]> =>
  (await (testDatabase === 'postgres'
    ? knex()('pg_indexes').where('tablename', 'oms_search_encounters').pluck('indexname')
    : knex()('sqlite_master')
        .where({ type: 'index', tbl_name: 'oms_search_encounters' })
        .pluck('name'))) as string[];

const FIELDS = ['sex', 'life_stage', 'living_status', 'basis_of_record', 'group_size'];

/** What is kept for searches, with words that the index of SQLite alone knows. */
async function textsAsBefore(): Promise<void> {
  const [table, objects] = ['oms_search_encounters', 'oms_search_objects'];
  const isPostgres = testDatabase === 'postgres';
  if (isPostgres)
    await knex().raw(`update ${table} set words = regexp_replace(
      cast(words as text), '\uE002[^\uE002]*\uE002', '', 'g')::tsvector where audience = 2`);
  else await knex().raw(`drop view ${table}_texts`);
  for (const name of ['marks', ...FIELDS])
    await knex().raw(`alter table ${table} drop column ${name}`);
  await knex().raw('drop table oms_search_names');
  for (const name of ['search-texts', 'marked-words', 'suggested-names'])
    await knex()(MIGRATIONS).where('name', 'like', `%${name}%`).delete();
  if (isPostgres) return;
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
    .select<{ document_id: string; location_privacy: string | null }[]>()
    .whereNull('latitude')
    .orderBy('document_id');
  expect(rows.map((row) => [row.document_id, row.location_privacy])).toEqual([
    [COPIED, null],
    [GIVEN, 'obscured'],
    [CHANGED, 'private'],
    [OF_THE_SITE, null],
  ]);
  // Not by the versions of all: another test deletes the account to which they belong.
  const changed = await knex()('oms_history')
    .whereIn('object', [COPIED, GIVEN, CHANGED, OF_THE_SITE])
    .where('changes', 'like', '%"location_privacy",%,null]%')
    .where({ action: 'update' })
    .orderBy('object')
    .select<{ object: string; version: number }[]>('object', 'version');
  expect(changed.map(({ object, version }) => [object, version])).toEqual([
    [COPIED, 2],
    [OF_THE_SITE, 2],
  ]);
  const entry = await knex()('oms_history').where({ object: COPIED, version: 2 }).first<Entry>();
  expect(entry).toMatchObject({ type: 'encounter', action: 'update', actor_kind: 'system' });
  expect(entry.changes).toBe('[["location_privacy","private",null]]');
});

testRehearsal(
  () => boots,
  () => upgrade,
);

testTimesAndClaims(knex, searched);

testToldLate(() => running.strapi, write);

test('positions have their cells', async () => {
  const rows = await knex()(await searched())
    .whereNotNull('latitude')
    .select<Place[]>();
  expect(rows).toHaveLength(POSITIONS.length + FILLED + MADE);
  for (const { latitude, longitude, cell } of rows)
    expect(Number(cell)).toBe(cellOf(latitude, longitude));
});

test('a running service gives rows their words and all fields', async () => {
  const table = await searched();
  const exact = knex()(table).whereNot('audience', 1).orderBy('id');
  const stored = knex()('encounters').orderBy('id');
  expect(await exact.select('id', ...FIELDS)).toEqual(await stored.select('id', ...FIELDS));
  expect(await knex()(table).whereNull('words').select('id')).toEqual([]);
  expect(await knex()('oms_search_objects').whereNull('words').select('id')).toEqual([]);
  expect(await knex()('oms_search_jobs').select()).toEqual([]);
  const taxa = await knex()('taxonomies').orderBy('id').pluck('id');
  expect(taxa.length).toBeGreaterThan(0);
  const named = knex()('oms_search_names').where({ type: 'taxonomy', later: 0, language: '' });
  expect(await named.distinct('id').orderBy('id').pluck('id')).toEqual(taxa);
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
  const table = await searched();
  const kept = () =>
    knex()(table)
      .orderBy(['id', 'audience'])
      .select<{ id: number }[]>('id', 'document_id', 'latitude', 'cell');
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

test('taxa get their kingdoms, and those whose names have become the same are kept', async () => {
  const taxa = await knex()('taxonomies')
    .whereIn('document_id', [ANIMALS, SIGN, LETTER, BLANKS])
    .orderBy('document_id')
    .select<{ id: number; kingdom: number; name_key: string; scientific_name: string }[]>();
  const animals = taxa[0]?.id;
  expect(taxa.map(({ kingdom }) => kingdom)).toEqual([0, animals, animals, animals]);
  expect(taxa.map(({ scientific_name: name }) => name)).toContain('Ovis x musimon');
  expect(taxa.slice(1).map(({ name_key: key }) => key)).toEqual([
    'ovis × musimon\u001f',
    `ovis × musimon\u001f\u001f${LETTER}`,
    'ovis aries\u001f',
  ]);
  const rename = (name: string): Promise<unknown> =>
    write('taxonomy', { scientific_name: name, parent: ANIMALS });
  await expect(rename('Ovis x musimon')).rejects.toMatchObject({ key: 'ENTITY_EXISTS' });
  const update = { op: 'update', type: 'taxonomy', id: LETTER } as const;
  await objectsOf(running.strapi).write({ ...update, body: { authorship: 'L.' } }, itself);
});

test('individuals and orgs whose names look alike are kept, and their names stay taken', async () => {
  const keys = await knex()('oms_individual_names').where({ value: 't 1' }).pluck<string[]>('key');
  expect(new Set(keys).size).toBe(2);
  const orgs = await knex()('orgs').orderBy('id').pluck<string[]>('name_key');
  expect(orgs).toEqual(['wild', expect.stringMatching(/^wild\u001f/)]);
  const names = [{ context: 'catalog', value: 't\u00a01' }];
  for (const [type, body] of [
    ['individual', { names }],
    ['org', { name: 'WILD' }],
  ] as const)
    await expect(write(type, body)).rejects.toMatchObject({ key: 'ENTITY_EXISTS' });
});

test('a database names the release that last migrated it, and older code does not start on it', async () => {
  const last = migrationNames(distRoot).at(-1) ?? '';
  const own = await readRelease(knex());
  expect(own).toEqual({ version: releaseVersion(), migration: last });
  const before = (await counts()) as unknown;
  await running.close();
  const alter = (statement: string): Promise<void> =>
    runBeside(readEnvironment().database, statement);
  const refusal = async (): Promise<string> => {
    const script = await runScript('start', boots.env);
    expect([await script.ended, script.output()]).toEqual([1, '']);
    return script.errors();
  };
  const older = `and this is release ${releaseVersion()} (${last.replace('.js', '')}), which is older: start`;
  const advice = 'or a later one, or restore a backup from before the upgrade.\n';
  try {
    await alter(`update oms_projections set release = '9.9.9'`);
    expect(await refusal()).toBe(
      `What searches read in the database is of release 9.9.9, and this is release ${releaseVersion()}, which is older: start release 9.9.9 ${advice}`,
    );
    // The later release was killed between two migrations.
    await alter(`insert into ${MIGRATIONS} (name, time) values ('${LATER}', current_timestamp)`);
    expect(await refusal()).toBe(
      `The database was last migrated by a later release, which has not ended its migrations (9999-later), ${older} that release ${advice}`,
    );
    await alter(`update oms_release set version = '9.9.9', migration = '${LATER}'`);
    expect(await refusal()).toBe(
      `The database was last migrated by release 9.9.9 (9999-later), ${older} release 9.9.9 ${advice}`,
    );
    await expectRefused(boots, await refusal());
  } finally {
    await alter(`delete from ${MIGRATIONS} where name = '${LATER}'`);
    await alter(`update oms_projections set release = '${releaseVersion()}'`);
    running = await boots.start();
  }
  // Without the later migration, it is this release that has migrated it last, and nothing is migrated again.
  expect(await readRelease(knex())).toEqual(own);
  expect(await counts()).toEqual(before);
  const names = await knex()(MIGRATIONS).pluck<string[]>('name');
  expect(names).toEqual([...new Set(names)]);
  expect([...names].sort()).toEqual(migrationNames('dist'));
});

const LATER = '9999-later.js';

const counts = async () => [
  await knex()('encounters').count(),
  await knex()(await searched()).count(),
];

test('migrations are named by a counter, which has no number twice', () => {
  const numbers = migrationNames('dist').map((name) => Number(MIGRATION_NAME.exec(name)?.[1]));
  expect(numbers).not.toContain(NaN);
  expect(numbers).toEqual([...new Set(numbers)]);
});
