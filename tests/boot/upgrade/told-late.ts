import type { Core } from '@strapi/strapi';
import { hiddenLines, hiddenNow } from '#app/api/encounter/hidden-now';
import { service as itself, type Caller } from '#app/core/caller';
import { backgroundOf, objectsOf, siteOf } from '#app/plugins/objects/server';
import { uuid } from '../../helpers/ids';

type Knex = Core.Strapi['db']['connection'];
type Write = (type: string, body: Record<string, unknown>) => Promise<unknown>;

const [TOLD, PENDING, LATER, ANIMAL] = [0x34a1, 0x34a2, 0x34a3, 0x34a4].map(uuid) as [
  string,
  string,
  string,
  string,
];
const STRANGER: Caller = { ...itself, role: 'anonymous' };

/** How many encounters it makes. */
export const MADE = 2;

/** Hidden encounters, one of which is not approved. */
export async function fillUndated(knex: Knex, write: Write): Promise<void> {
  await write('encounter', { id: TOLD, location_privacy: 'private', latitude: 1, longitude: 2 });
  await write('encounter', { id: PENDING, location_privacy: 'private', latitude: 1, longitude: 2 });
  await write('individual', { id: ANIMAL });
  await knex('encounters').where({ document_id: PENDING }).update({ state: 'pending' });
  await knex('oms_search_encounters').where({ document_id: PENDING }).update({ state: 'pending' });
}

/** The database as it was before there were dates on which what is hidden is told. */
export async function undatedAsBefore(knex: Knex): Promise<void> {
  await knex.raw('drop index individuals_told_ix');
  for (const table of ['encounters', 'individuals']) {
    for (const index of ['untold_ix', 'untold_by_id_ix'])
      await knex.raw(`drop index ${table}_${index}`);
    for (const name of ['told_from', 'untold_since'])
      await knex.raw(`alter table ${table} drop column ${name}`);
  }
  await knex.raw('alter table site_settings drop column tell_hidden');
  await knex.raw('alter table oms_claims drop column reads_until');
  await knex('strapi_migrations').where('name', 'like', '%told-late%').delete();
  await forgetColumns(knex, ['told_from', 'untold_since']);
}

interface NotedSchema {
  readonly tables: readonly { readonly columns: readonly { readonly name: string }[] }[];
}

/** What Strapi has noted of its tables, without columns. */
async function forgetColumns(knex: Knex, names: readonly string[]): Promise<void> {
  const [noted] = await knex('strapi_database_schema').pluck<(string | NotedSchema)[]>('schema');
  const schema = typeof noted === 'string' ? (JSON.parse(noted) as NotedSchema) : noted;
  const tables = schema?.tables.map((table) => ({
    ...table,
    columns: table.columns.filter(({ name }) => !names.includes(name)),
  }));
  await knex('strapi_database_schema').update({
    schema: JSON.stringify({ ...schema, tables }),
    hash: 'older',
  });
}

/** What strangers are told stays told, and what is reported from now on waits. */
export function testToldLate(strapi: () => Core.Strapi, write: Write): void {
  test('what strangers are told stays told, and what is not open and comes later waits', async () => {
    const objects = objectsOf(strapi());
    await backgroundOf(strapi()).workOff();
    const found = async (id: string): Promise<unknown[]> => [
      await (async () => objects.read('encounter', id, STRANGER))().then(
        () => 'read',
        () => 'not read',
      ),
      (await objects.find('encounter', new Map([['id', id]]), STRANGER)).ids,
    ];
    const knex = strapi().db.connection;
    const dated = async (table: string, id: string): Promise<unknown[]> =>
      (await knex(table).where({ document_id: id }).pluck<unknown[]>('told_from')) as unknown[];
    const today = new Date().toISOString().slice(0, 10);
    expect(siteOf(strapi()).current().tellHidden).toBe('monthly');
    expect(await found(TOLD)).toEqual(['read', [TOLD]]);
    expect((await dated('encounters', TOLD)).every((date) => String(date) <= today)).toBe(true);
    expect(await dated('encounters', PENDING)).toEqual([null]);
    await objects.read('individual', ANIMAL, STRANGER);
    expect(await dated('individuals', ANIMAL)).not.toContain(null);
    await write('encounter', { id: LATER, location_privacy: 'private' });
    expect(await found(LATER)).toEqual(['not read', []]);
    const lines = hiddenLines(await hiddenNow(strapi(), new AbortController().signal));
    expect(lines.join('\n')).toMatch(/Of these, 1 are not told at all .*tell_hidden/);
    await objects.write(
      { op: 'act', type: 'encounter', id: PENDING, action: 'review', body: { state: 'approved' } },
      itself,
    );
    expect(await found(PENDING)).toEqual(['not read', []]);
    await objects.write({ op: 'delete', type: 'encounter', id: LATER }, itself);
  });
}
