import { randomUUID } from 'node:crypto';
import { importer } from '#app/core/caller';
import { objectsOf } from '#app/plugins/objects/server';
import { statementOf } from '#app/plugins/objects/server/database/sql';
import * as work from '#app/plugins/objects/server/database/work';
import type { Change, Outcome } from '#app/plugins/objects/server/declare/objects';
import { testDatabase } from '../../helpers/database';
import type { TestService } from '../../helpers/service';
import { until } from '../../helpers/until';

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

  test('a part of a transaction goes with it when it fails, and is not tried again', async () => {
    let tries = 0;
    const failing = {
      get remarks(): string {
        tries += 1;
        throw new Error('cannot be read');
      },
    };
    const broken: Change = { op: 'create', type: 'encounter', body: failing };
    const write = (...changes: Change[]): Promise<Outcome[]> =>
      objectsOf(service.strapi).writeAll(changes, caller, { withoutSavepoint: true });
    const inTransaction = service.strapi.db.transaction(async () => {
      expect(told(await write(encounter({ remarks: 'a' })))).toEqual(['ok']);
      await write(encounter({ remarks: 'b' }), broken);
    });
    await expect(inTransaction).rejects.toThrow('cannot be read');
    expect([tries, await stored('encounters', 'remarks')]).toEqual([1, []]);
  });

  test('a dry run takes a transaction along that it is a part of', async () => {
    const options = { dryRun: true, withoutSavepoint: true };
    const inTransaction = service.strapi.db.transaction(() =>
      objectsOf(service.strapi).writeAll([encounter({ remarks: 'a' })], caller, options),
    );
    await expect(inTransaction).rejects.toThrow('nothing of it is kept');
    expect(await stored('encounters', 'remarks')).toEqual([]);
  });

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

  test('so does one that comes much later, whether or not the first is stored by then', async () => {
    const keys = Array.from({ length: 1100 }, (_, at) => ({ source: 's', external_id: `n${at}` }));
    const [early, last] = [{ source: 's', external_id: 'n3' }, keys.at(499)];
    keys.splice(501, 0, early, { ...early, ...last });
    keys.push(early);
    const tried = jest.spyOn(work, 'attempt');
    const outcomes = told(await writeAll(...keys.map(encounter)));
    // Nor were they tried again, each on a savepoint.
    expect(tried).not.toHaveBeenCalled();
    tried.mockRestore();
    const taken = outcomes.flatMap((one, at) => (one === 'ok' ? [] : [[at, one]]));
    expect(taken).toEqual([501, 502, 1102].map((at) => [at, 'TAKEN']));
    expect(await stored('encounters', 'external_id')).toHaveLength(1100);
  });

  test('the taxon of an individual is looked at again when it has changed in the same bulk', async () => {
    const [duck, zebra] = [await makeTaxon(), await makeTaxon()];
    const [individual, id] = [randomUUID(), randomUUID()];
    const change = (taxonomy: string): Change => ({
      op: 'update',
      type: 'individual',
      id: individual,
      body: { taxonomy },
    });
    const outcomes = await writeAll(
      { op: 'create', type: 'individual', body: { id: individual } },
      encounter({ id, individual, taxonomy: zebra }),
      change(duck),
      { op: 'delete', type: 'encounter', id },
      change(duck),
      encounter({ individual, taxonomy: zebra }),
      encounter({ individual, taxonomy: duck }),
    );
    expect(told(outcomes)).toEqual(['ok', 'ok', 'CONFLICT', 'ok', 'ok', 'CONFLICT', 'ok']);
    const remove = { op: 'delete', type: 'individual', id: individual } as const;
    await objectsOf(service.strapi).write(remove, caller);
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

  test('of two with one source and ID the first goes in, and the second names it', async () => {
    const key = { source: 'a', external_id: '1' };
    const [first, second, other] = await writeAll(
      encounter({ ...key, remarks: 'first' }),
      encounter({ ...key, remarks: 'second' }),
      encounter({ source: 'a', external_id: '2', remarks: 'other' }),
    );
    const id = first?.ok ? first.written.id : '';
    expect(second?.ok === false && [second.error.key, second.error.args['id']]).toEqual([
      'ENTITY_EXISTS',
      id,
    ]);
    expect(other?.ok).toBe(true);
    const [again] = await writeAll(encounter(key), encounter({ source: 'a', external_id: '3' }));
    expect(again?.ok === false && again.error.args['id']).toBe(id);
  });

  test('an encounter that is made can be changed in the same bulk', async () => {
    const id = randomUUID();
    const outcomes = await writeAll(
      encounter({ id, remarks: 'made' }),
      encounter({ remarks: 'another' }),
      { op: 'update', type: 'encounter', id, body: { remarks: 'changed' } },
    );
    expect(told(outcomes)).toEqual(['ok', 'ok', 'ok']);
    expect(await stored('encounters', 'remarks')).toEqual(['changed', 'another']);
  });

  test('encounters of one taxon look each thing of it up once', async () => {
    const taxonomy = await makeTaxon();
    const [asked, given] = [jest.spyOn(work, 'ask'), jest.spyOn(work, 'tell')];
    try {
      expect(told(await writeAll(...Array<Change>(8).fill(encounter({ taxonomy }))))).toEqual(
        Array(8).fill('ok'),
      );
      const texts = [...asked.mock.calls, ...given.mock.calls].map(
        ([statement]) => statementOf(statement).sql.sqlite,
      );
      // Whether it may be referred to, with its row; and its privacy.
      expect(
        texts.filter((text) =>
          /^(select|with)(?!.* from encounters).* from taxonomies/s.test(text),
        ),
      ).toHaveLength(2);
      expect(texts.filter((text) => text.startsWith('insert into encounters'))).toHaveLength(1);
      expect(texts.filter((text) => text.startsWith('insert into oms_history'))).toHaveLength(1);
    } finally {
      asked.mockRestore();
      given.mockRestore();
    }
  });

  test('whether individuals and their encounters agree about the taxon is looked up once for all', async () => {
    const genus = await makeTaxon();
    const [species, other] = [await makeTaxon({ parent: genus }), await makeTaxon()];
    const taxa = [genus, species, other, null];
    const individuals = taxa.map((taxonomy) => ({ id: randomUUID(), taxonomy }));
    const made = individuals.map((body): Change => ({ op: 'create', type: 'individual', body }));
    expect(told(await writeAll(...made))).toEqual(Array(4).fill('ok'));
    const all = individuals.flatMap(({ id }) =>
      taxa.map((taxonomy) => encounter({ individual: id.toUpperCase(), taxonomy })),
    );
    const [askedAll, askedOne] = [jest.spyOn(work, 'ask'), jest.spyOn(work, 'askOne')];
    let agreed: Outcome[];
    try {
      agreed = await writeAll(...all);
      const texts = ({ mock }: typeof askedAll | typeof askedOne): string[] =>
        mock.calls.map(([statement]) => statementOf(statement).sql.sqlite);
      const inAll = /^with recursive.* join individuals o/s;
      expect(texts(askedAll).filter((text) => inAll.test(text))).toHaveLength(1);
      // Only those that do not agree are looked at one by one.
      const one = /^select o.taxonomy_id from individuals/;
      expect(texts(askedOne).filter((text) => one.test(text))).toHaveLength(4);
    } finally {
      askedAll.mockRestore();
      askedOne.mockRestore();
    }
    expect(told(agreed)).toEqual([
      ...['ok', 'ok', 'CONFLICT', 'ok'],
      ...['ok', 'ok', 'CONFLICT', 'ok'],
      ...['CONFLICT', 'CONFLICT', 'ok', 'ok'],
      ...['ok', 'ok', 'ok', 'ok'],
    ]);
    await service.strapi.db.connection('encounters').delete();
    const removed = individuals.map(({ id }): Change => ({ op: 'delete', type: 'individual', id }));
    expect(told(await writeAll(...removed))).toEqual(Array(4).fill('ok'));
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

  if (testDatabase === 'sqlite') return;

  test('a key that another transaction takes meanwhile is found when all is tried together once more', async () => {
    const knex = service.strapi.db.connection;
    const keys = Array.from({ length: 20 }, (_, at) => ({ source: 'a', external_id: String(at) }));
    const taken = await objectsOf(service.strapi).write(encounter(keys[7] ?? {}), caller);
    await knex.raw('create table held as select * from encounters');
    await knex('encounters').delete();
    const attempted = jest.spyOn(work, 'attempt');
    const trx = await knex.transaction();
    let outcomes: Outcome[];
    try {
      await trx.raw('insert into encounters select * from held');
      const written = writeAll(...keys.map(encounter));
      const held = knex('pg_stat_activity').whereRaw(
        `datname = current_database() and wait_event_type = 'Lock'`,
      );
      await until('waits for the key', async () => (await held.clone().pluck('pid')).length > 0);
      await trx.commit();
      outcomes = await written;
      expect(attempted).not.toHaveBeenCalled();
    } finally {
      if (!trx.isCompleted()) await trx.rollback();
      attempted.mockRestore();
      await knex.raw('drop table held');
    }
    const expected = keys.map((_, at) => (at === 7 ? 'TAKEN' : 'ok'));
    expect(told(outcomes)).toEqual(expected);
    const refusal = outcomes[7];
    expect(refusal?.ok === false && refusal.error.args['id']).toBe(taken.id);
    expect(await stored('encounters', 'id')).toHaveLength(20);
  });
}
