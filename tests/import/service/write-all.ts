import { randomUUID } from 'node:crypto';
import { importer } from '#app/core/caller';
import { objectsOf } from '#app/plugins/objects/server';
import { statementOf } from '#app/plugins/objects/server/database/sql';
import * as work from '#app/plugins/objects/server/database/work';
import type { Change, Outcome } from '#app/plugins/objects/server/types';
import type { TestService } from '../../helpers/service';

/** Changes that are written in bulk, on a shared service. */
export function testWriteAll(started: () => TestService): void {
  const caller = importer('tests');

  let service: TestService;
  beforeAll(() => {
    service = started();
  });
  afterEach(async () => {
    for (const table of ['encounters', 'taxonomies', 'oms_history'])
      await service.strapi.db.connection(table).delete();
  });

  const writeAll = (...changes: Change[]): Promise<Outcome[]> =>
    objectsOf(service.strapi).writeAll(changes, caller);

  const encounter = (body: object): Change => ({
    op: 'create',
    type: 'encounter',
    body: { time: '2024', ...body },
  });

  async function makeTaxon(body: object = {}): Promise<string> {
    const change = { scientific_name: randomUUID(), ...body };
    const { id } = await objectsOf(service.strapi).write(
      { op: 'create', type: 'taxonomy', body: change },
      caller,
    );
    return id;
  }

  const stored = (table: string, column: string): Promise<unknown[]> =>
    service.strapi.db.connection(table).orderBy('id').pluck(column);

  /** What became of each: `ok`, or what was wrong. */
  const told = (outcomes: Outcome[]): string[] =>
    outcomes.map((outcome) =>
      outcome.ok ? 'ok' : (outcome.error.invalid[0]?.key ?? outcome.error.key),
    );

  test('what is refused leaves no trace, and the others go in, each with its history', async () => {
    const outcomes = await writeAll(
      encounter({ remarks: 'a' }),
      encounter({ remarks: 'b', group_size: 0 }),
      encounter({ remarks: 'c', taxonomy: randomUUID() }),
      encounter({ remarks: 'd' }),
    );
    expect(told(outcomes)).toEqual(['ok', 'TOO_SMALL', 'NO_SUCH', 'ok']);
    expect(await stored('encounters', 'remarks')).toEqual(['a', 'd']);
    const types = await stored('oms_history', 'type');
    expect(types.filter((type) => type === 'encounter')).toHaveLength(2);
  });

  test('the second of two with one key finds the first, in the same batch', async () => {
    const key = { source: 's', external_id: 'x' };
    expect(told(await writeAll(encounter(key), encounter(key), encounter({})))).toEqual([
      'ok',
      'TAKEN',
      'ok',
    ]);
    expect(await stored('encounters', 'external_id')).toEqual(['x', null]);
  });

  test('a valid reference is checked again if it may have become invalid', async () => {
    const good = encounter({ sex: 'male', taxonomy: await makeTaxon() });
    expect(told(await writeAll(good, good))).toEqual(['ok', 'ok']);
    const wrong = [{ sex: 'Male' }, { sex: 1 }, { sex: ['male'] }].map(encounter);
    expect(told(await writeAll(good, ...wrong))).toEqual([
      'ok',
      'NOT_ONE_OF',
      'NOT_ONE_OF',
      'NOT_ONE_OF',
    ]);
  });

  test('a reference that did not exist is looked up again', async () => {
    const taxonomy = randomUUID();
    const taxon: Change = {
      op: 'create',
      type: 'taxonomy',
      body: { id: taxonomy, scientific_name: 'Panthera onca' },
    };
    const outcomes = await writeAll(encounter({ taxonomy }), taxon, encounter({ taxonomy }));
    expect(told(outcomes)).toEqual(['NO_SUCH', 'ok', 'ok']);
    expect(await stored('encounters', 'remarks')).toHaveLength(1);
  });

  test('encounters of one taxon look it up once', async () => {
    const taxonomy = await makeTaxon();
    const asked = jest.spyOn(work, 'ask');
    try {
      expect(told(await writeAll(...Array<Change>(9).fill(encounter({ taxonomy }))))).toEqual(
        Array(9).fill('ok'),
      );
      const texts = asked.mock.calls.map(([given]) => statementOf(given).sql.sqlite);
      expect(
        texts.filter((text) =>
          /^(select|with)(?!.* from encounters).* from taxonomies/s.test(text),
        ),
      ).toHaveLength(1);
      expect(texts.filter((text) => text.startsWith('insert into oms_history'))).toHaveLength(1);
    } finally {
      asked.mockRestore();
    }
  });

  test('a deletion that is refused when it is carried out does not affect the other changes', async () => {
    const [used, free] = [await makeTaxon(), await makeTaxon()];
    const outcomes = await writeAll(
      encounter({ remarks: 'a', taxonomy: used }),
      { op: 'delete', type: 'taxonomy', id: used },
      { op: 'delete', type: 'taxonomy', id: free },
      encounter({ remarks: 'b', taxonomy: free }),
      encounter({ remarks: 'c', taxonomy: used }),
    );
    expect(told(outcomes)).toEqual(['ok', 'IN_USE', 'ok', 'NO_SUCH', 'ok']);
    expect(await stored('encounters', 'remarks')).toEqual(['a', 'c']);
    expect(await stored('taxonomies', 'document_id')).toEqual([used]);
  });

  test('the document ID has one index, the unique one, and no other index is the beginning of one', async () => {
    const { connection } = service.strapi.db;
    const names =
      service.strapi.db.dialect.client === 'postgres'
        ? connection('pg_indexes').where('tablename', 'encounters').pluck('indexname')
        : connection('sqlite_master')
            .where({ type: 'index', tbl_name: 'encounters' })
            .pluck('name');
    const found = (await names) as string[];
    expect(found.filter((name) => name.includes('document'))).toEqual([
      'encounters_document_id_uq',
    ]);
    expect(found).toEqual(expect.arrayContaining(['encounters_individual_order_ix']));
    expect(found).not.toContain('encounters_individual_id_fk');
    expect(found).not.toContain('encounters_owner_id_fk');
  });
}
