import { randomUUID } from 'node:crypto';
import { authorizationOf, openToRoles } from '../../helpers/callers';
import { idsOf } from '../../helpers/ids';
import { asObject, at, parsed, type Json } from '../../helpers/json';
import { loggedDuring } from '../../helpers/log';
import { refusal, useMembers, type Member } from '../../helpers/members';
import { bearer, responseOf } from '../../helpers/people';
import { historyOf } from '../../helpers/snapshot';
import { type World } from '../../helpers/world';

/** Batches: many operations in one call. */
export function testBatch(world: () => World): void {
  const uuid = idsOf(3);
  const { as, newPerson, read } = useMembers(world);
  const knex = () => world().service.strapi.db.connection;

  let [owner, stranger] = [] as unknown as [Member, Member];
  let taxonomy = '';
  beforeAll(async () => {
    await openToRoles(world().service);
    [owner, stranger] = [await newPerson(), await newPerson()];
    const taxon = await as('moderator', 'POST', 'taxonomy', { scientific_name: 'Equus quagga' });
    taxonomy = String(responseOf(taxon)['id']);
  });

  type Result = { status: number; response: Json; message?: Json };

  interface Operation {
    readonly op: string;
    readonly type: string;
    readonly id?: string;
    readonly if_match?: string | null;
    readonly body?: Json;
  }

  interface Told {
    readonly status: number;
    readonly key: unknown;
    readonly results: readonly Result[];
  }

  async function batch(
    who: Member | null,
    operations: readonly Operation[],
    options = {},
  ): Promise<Told> {
    const { status, text } = await as(who, 'POST', 'batch', { operations, ...options });
    const answer = parsed(text);
    return {
      status,
      key: at(answer, 'message', 'key'),
      results: (at(answer, 'response', 'results') ?? []) as Result[],
    };
  }

  const create = (body: Json): Operation => ({ op: 'create', type: 'encounter', body });
  const statuses = ({ results }: Told): number[] => results.map(({ status }) => status);
  const idOf = ({ results }: Told, at = 0): string => String(asObject(results[at]?.response)['id']);
  const counted = async (table: string): Promise<number> =>
    Number(asObject(await knex()(table).count({ n: '*' }).first())['n']);
  /** What a refused batch leaves as it is. */
  const rows = () => Promise.all(['encounters', 'individuals', 'oms_history'].map(counted));

  const newEncounter = async (who: Member, body: Json = {}): Promise<string> =>
    String(responseOf(await as(who, 'POST', 'encounter', { taxonomy, ...body }))['id']);

  describe('a batch', () => {
    test('creates, changes and deletes, also what it has made itself, each with its history', async () => {
      const [made, kept, gone] = [
        randomUUID(),
        await newEncounter(owner),
        await newEncounter(owner),
      ];
      const told = await batch(owner, [
        create({ id: made, taxonomy, remarks: 'new' }),
        {
          op: 'create',
          type: 'individual',
          body: { names: [{ context: 'nickname', value: randomUUID() }], encounters: [made] },
        },
        { op: 'update', type: 'encounter', id: made, if_match: '"2"', body: { tags: ['x'] } },
        { op: 'update', type: 'encounter', id: kept, if_match: null, body: {} },
        { op: 'delete', type: 'encounter', id: gone },
      ]);
      expect(told).toMatchObject({
        status: 200,
        results: [
          { status: 200, response: { id: made } },
          { status: 200 },
          { status: 200, response: { id: made, version: 3 } },
          { status: 200, response: { id: kept, version: 1 } },
          { status: 200, response: { id: gone } },
        ],
      });
      expect(await read(owner, `encounter/${made}`)).toMatchObject({
        individual: idOf(told, 1),
        tags: ['x'],
        version: 3,
      });
      expect((await as(owner, 'GET', `encounter/${gone}`)).status).toBe(402);
      const entries = await historyOf(world().service, made);
      expect(entries.map(({ action }) => action)).toEqual(['create', 'update', 'update']);
    });

    test('carries out actions of types', async () => {
      const org = String(
        responseOf(await as(owner, 'POST', 'org', { name: `Org ${randomUUID()}` }))['id'],
      );
      const join = { op: 'join', type: 'org', id: org };
      expect(statuses(await batch(stranger, [join]))).toEqual([200]);
      const member = { op: 'member', type: 'org', id: org };
      const told = await batch(owner, [
        { ...member, body: { user: stranger.id, role: 'member' } },
        { ...member, body: { user: 'nobody' } },
      ]);
      expect(told).toMatchObject({ status: 400, key: 'API_RESPONSE_BATCH_FAILED' });
      expect(told.results[1]).toMatchObject({
        status: 400,
        response: {
          invalid: [
            { path: 'operations.1.body.user', key: 'API_RESPONSE_FORMAT' },
            { path: 'operations.1.body.role', key: 'API_RESPONSE_REQUIRED' },
          ],
        },
        message: { key: 'API_RESPONSE_MALFORMED', args: {} },
      });
      expect(await read(owner, `org/${org}`)).toMatchObject({ members: [owner.id] });
    });

    test('answers for each operation what its single call does', async () => {
      const [mine, theirs] = [await newEncounter(owner), await newEncounter(stranger)];
      const operations: readonly Operation[] = [
        { op: 'update', type: 'encounter', id: randomUUID(), body: {} },
        { op: 'update', type: 'encounter', id: theirs, body: { remarks: 'mine' } },
        { op: 'update', type: 'encounter', id: mine, if_match: '"7"', body: {} },
        { op: 'update', type: 'encounter', id: mine, body: { latitude: 95, nope: 1 } },
        { op: 'delete', type: 'taxonomy', id: taxonomy },
        create({ id: mine }),
      ];
      const told = await batch(owner, operations, { atomic: false });
      expect(told.status).toBe(200);
      expect(statuses(told)).toEqual([402, 403, 412, 400, 403, 400]);
      for (const [n, { op, type, id, body, if_match }] of operations.entries()) {
        const answer = await world().send({
          method: { create: 'POST', update: 'PUT', delete: 'DELETE' }[op] ?? '',
          url: `/api/v0/${type}${id === undefined ? '' : `/${id}`}`,
          ...(body ? { body } : {}),
          headers: { ...bearer(owner.secret), ...(if_match ? { 'If-Match': if_match } : {}) },
        });
        const { response, message } = asObject(parsed(answer.text));
        const single = JSON.stringify({ status: answer.status, response, message });
        expect(JSON.stringify(told.results[n]).replaceAll(`operations.${n}.body.`, '')).toBe(
          single,
        );
      }
    });

    test('that fails changes nothing, and tells of all operations', async () => {
      const before = await rows();
      const known = await newEncounter(owner, { remarks: 'as it was' });
      const told = await batch(owner, [
        create({ taxonomy }),
        { op: 'update', type: 'encounter', id: known, body: { remarks: 'changed' } },
        create({ taxonomy: randomUUID() }),
        create({ latitude: 'north' }),
      ]);
      expect(told).toMatchObject({ status: 400, key: 'API_RESPONSE_BATCH_FAILED' });
      expect(statuses(told)).toEqual([200, 200, 400, 400]);
      expect(await read(owner, `encounter/${known}`)).toMatchObject({ remarks: 'as it was' });
      const after = await rows();
      expect(after).toEqual([before[0]! + 1, before[1], before[2]! + 1]);
    });

    test('that is not atomic keeps what was possible', async () => {
      const told = await batch(owner, [create({ taxonomy }), create({ latitude: 95 })], {
        atomic: false,
      });
      expect(told.status).toBe(200);
      expect(statuses(told)).toEqual([200, 400]);
      expect((await as(owner, 'GET', `encounter/${idOf(told)}`)).status).toBe(200);
    });

    test.each([true, false])(
      'tried out (atomic: %s) tells all and keeps nothing',
      async (atomic) => {
        const before = await rows();
        const made = randomUUID();
        const operations: readonly Operation[] = [
          create({ id: made, taxonomy }),
          { op: 'update', type: 'encounter', id: made, body: { remarks: 'x' } },
        ];
        const well = await batch(owner, operations, { atomic, dry_run: true });
        expect(well.status).toBe(200);
        expect(well.results[1]).toEqual({ status: 200, response: { id: made, version: 2 } });
        const wrong = [...operations, create({ latitude: 95 })];
        const badly = await batch(owner, wrong, { atomic, dry_run: true });
        expect(badly.status).toBe(atomic ? 400 : 200);
        expect(statuses(badly)).toEqual([200, 200, 400]);
        expect(await rows()).toEqual(before);
        expect((await as(owner, 'GET', `encounter/${made}`)).status).toBe(402);
      },
    );

    test('of 500 whole encounters fits', async () => {
      const remarks = `Of a field day: ${'x'.repeat(6000)}`;
      const whole = {
        taxonomy,
        time: '2024-03-09T08:15Z',
        latitude: -2.3333,
        longitude: 34.8333,
        coordinate_uncertainty: 30,
        locality: 'Seronera',
        country_code: 'TZ',
        sex: 'female',
        life_stage: 'adult',
        group_size: 4,
        behavior: 'grazing',
        observers: ['Amina Njoroge', 'Juan Pérez'],
        measurements: [{ type: 'shoulder height', value: 1.2, unit: 'm' }],
        tags: ['herd', 'dawn'],
        remarks,
      };
      const told = await batch(
        owner,
        Array.from({ length: 500 }, (_, n) => create({ ...whole, event_id: uuid(n + 1) })),
      );
      expect(told.status).toBe(200);
      expect(new Set(statuses(told))).toEqual(new Set([200]));
      const [{ n } = { n: 0 }] = await knex()('encounters').where({ remarks }).count({ n: '*' });
      expect(Number(n)).toBe(500);
    });

    test('of two at once that change the same objects in opposite orders, both are carried out', async () => {
      const ids = await Promise.all([1, 2, 3, 4].map(() => newEncounter(owner)));
      const changes = (order: readonly string[], remarks: string) =>
        order.map((id) => ({ op: 'update', type: 'encounter', id, body: { remarks } }));
      const told = await Promise.all([
        batch(owner, changes(ids, 'one')),
        batch(owner, changes([...ids].reverse(), 'other')),
      ]);
      expect(told.map(({ status }) => status)).toEqual([200, 200]);
      const found = await Promise.all(ids.map((id) => read(owner, `encounter/${id}`)));
      expect(new Set(found.map(({ remarks }) => remarks)).size).toBe(1);
      expect(found.map(({ version }) => version)).toEqual([3, 3, 3, 3]);
    });

    test('beside a single call on the same object is whole: one of them is told 412', async () => {
      const id = await newEncounter(owner);
      const [told, single] = await Promise.all([
        batch(owner, [
          create({ taxonomy, remarks: id }),
          { op: 'update', type: 'encounter', id, if_match: '"1"', body: { remarks: 'batch' } },
        ]),
        world().send({
          method: 'PUT',
          url: `/api/v0/encounter/${id}`,
          body: { remarks: 'single' },
          headers: { ...bearer(owner.secret), 'If-Match': '"1"' },
        }),
      ]);
      const [{ n } = { n: 0 }] = await knex()('encounters')
        .where({ remarks: id })
        .count({ n: '*' });
      expect([told.status, single.status, Number(n)]).toEqual(
        told.status === 200 ? [200, 412, 1] : [400, 200, 0],
      );
    });

    test('whose client goes away is carried out whole or not at all', async () => {
      const remarks = randomUUID();
      const operations = Array.from({ length: 200 }, () => create({ taxonomy, remarks }));
      const gone = new AbortController();
      const sent = fetch(`${world().service.url}/api/v0/batch`, {
        method: 'POST',
        headers: { ...bearer(owner.secret), 'Content-Type': 'application/json' },
        body: JSON.stringify({ operations }),
        signal: gone.signal,
      });
      setTimeout(() => gone.abort(), 20);
      await sent.catch(() => undefined);
      await batch(owner, [create({ taxonomy })]);
      const [{ n } = { n: 0 }] = await knex()('encounters').where({ remarks }).count({ n: '*' });
      expect([0, 200]).toContain(Number(n));
    });
  });

  describe('a batch is refused', () => {
    test('without a login', async () => {
      expect((await batch(null, [])).status).toBe(401);
    });

    test('where it changes accounts, but for an administrator', async () => {
      const body = {
        name: 'A',
        email: `${randomUUID()}@example.org`,
        password: 'correct horse bat',
      };
      const change = { op: 'update', type: 'user', id: owner.id, body: { name: 'B' } };
      const told = await batch(owner, [{ op: 'create', type: 'user', body }, change], {
        atomic: false,
      });
      expect(told.results.map(({ status, message }) => [status, at(message ?? {}, 'key')])).toEqual(
        [refusal(403, 'NOT_PERMITTED'), refusal(403, 'NOT_PERMITTED')],
      );
      const headers = authorizationOf('administrator');
      const operations = [{ op: 'create', type: 'user', body }];
      let status = 0;
      const log = await loggedDuring(world().service.strapi, async () => {
        ({ status } = await world().send({
          method: 'POST',
          url: '/api/v0/batch',
          body: { operations },
          headers,
        }));
      });
      expect(status).toBe(200);
      expect(log).not.toContain(body.password);
    });

    const id = randomUUID();
    const update = { op: 'update', type: 'encounter', id };
    test.each<[string, Json, readonly (readonly [string, string])[]]>([
      ['without operations', {}, [['operations', 'REQUIRED']]],
      ['with an object of operations', { operations: {} }, [['operations', 'TYPE']]],
      ['with none', { operations: [] }, [['operations', 'TOO_SHORT']]],
      ['with 501', { operations: Array(501).fill(update) }, [['operations', 'TOO_LONG']]],
      [
        'with faults of its own',
        { operations: [update], atomic: 1, nope: 1 },
        [
          ['nope', 'UNKNOWN'],
          ['atomic', 'TYPE'],
        ],
      ],
      [
        'with operations that are none',
        {
          operations: [
            update,
            7,
            { op: 'destroy', type: 'planet' },
            { op: 'create', type: 'asset' },
            { op: 'update', type: 'site_settings', id },
            { ...update, id: 'x', nope: 1 },
            { op: 'create', type: 'encounter', id },
            { ...update, if_match: '1' },
            { op: 'delete', type: 'encounter', id, body: { remarks: '' } },
          ],
        },
        [
          ['operations.1', 'TYPE'],
          ['operations.2.op', 'NOT_ONE_OF'],
          ['operations.2.type', 'NOT_ONE_OF'],
          ['operations.2.id', 'REQUIRED'],
          ['operations.3.op', 'NOT_ONE_OF'],
          ['operations.4.type', 'NOT_ONE_OF'],
          ['operations.5.nope', 'UNKNOWN'],
          ['operations.5.id', 'FORMAT'],
          ['operations.6.id', 'UNKNOWN'],
          ['operations.7.if_match', 'FORMAT'],
          ['operations.8.body.remarks', 'UNKNOWN'],
        ],
      ],
    ])('%s', async (_, body, faults) => {
      const answer = await as(owner, 'POST', 'batch', body);
      const found = at(parsed(answer.text), 'response', 'invalid') as readonly Json[];
      expect([answer.status, found.map(({ path, key }) => [path, key])]).toEqual([
        400,
        faults.map(([path, key]) => [path, `API_RESPONSE_${key}`]),
      ]);
    });

    test('with more than 4 MiB', async () => {
      const remarks = 'x'.repeat(4 * 1024 * 1024);
      const { status } = await as(owner, 'POST', 'batch', { operations: [create({ remarks })] });
      expect(status).toBe(413);
    });
  });
}
