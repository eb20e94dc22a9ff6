import { setTimeout as sleep } from 'node:timers/promises';
import { objectsOf, registryOf } from '#app/plugins/objects/server';
import { actingFor, storeAccount } from '../../helpers/accounts';
import { ACCOUNTS, authorizationOf, openToRoles } from '../../helpers/callers';
import { idsOf } from '../../helpers/ids';
import type { Json } from '../../helpers/json';
import { hashOf } from '../../helpers/people';
import { play, runScenarios } from '../../helpers/scenario';
import { deliverMails } from '../../helpers/post-office';
import { HISTORY, historyOf } from '../../helpers/snapshot';
import type { World } from '../../helpers/world';

const uuid = idsOf(3);

/** The deletion of users, on a shared service. */
export function testDelete(world: () => World): void {
  const path = (id: string): string => `/api/v0/user/${id}`;
  const knex = () => world().service.strapi.db.connection;
  const asAdministrator = () =>
    actingFor(world().service, ACCOUNTS.administrator, 'A administrator');
  const asPerson = (id: string) => actingFor(world().service, id, 'Zoë-Lou Person');

  beforeAll(() => openToRoles(world().service));

  describe('an account is deleted', () => {
    runScenarios(world, [
      {
        name: 'not without a login',
        as: 'anonymous',
        method: 'DELETE',
        url: path(ACCOUNTS.user),
        expect: { status: 401, key: 'LOGIN_REQUIRED' },
      },
      ...(['user', 'moderator'] as const).map((as) => ({
        name: `not by a ${as}, not even one’s own`,
        as,
        method: 'DELETE',
        url: path(ACCOUNTS[as]),
        expect: { status: 403, key: 'NOT_PERMITTED' },
      })),
      {
        name: 'not where there is none',
        as: 'administrator',
        method: 'DELETE',
        url: path(uuid(0xdead)),
        expect: { status: 402, key: 'ENTITY_NOT_FOUND' },
      },
    ]);

    test('by an administrator: the person is erased, and the encounters are kept', async () => {
      const person = uuid(0x9e1);
      const [kept, keyed] = [uuid(0xe0), uuid(0xe1)];
      const objects = objectsOf(world().service.strapi);
      const make = async (type: string, body: object) =>
        objects.write(
          { op: 'create', type, body: body as Record<string, unknown> },
          await asAdministrator(),
        );
      await make('user', {
        id: person,
        name: 'Zoë-Lou Person',
        email: 'zoe-lou@example.org',
        password: 'correct horse 7',
      });
      await objects.write(
        { op: 'update', type: 'user', id: person, body: { affiliation: 'Naturalis' } },
        { ...(await asPerson(person)), session: 'x' },
      );
      await make('encounter', { id: kept, owner: person, source: 'left', external_id: 'e1' });
      await make('encounter', { id: keyed, owner: person, external_id: 'e2' });
      await objects.write(
        { op: 'update', type: 'encounter', id: kept, body: { remarks: 'hers' } },
        await asPerson(person),
      );
      await objects.write(
        { op: 'update', type: 'user', id: ACCOUNTS.moderator, body: { followed_users: [person] } },
        await asAdministrator(),
      );

      await play(world(), {
        name: 'delete',
        as: 'administrator',
        method: 'DELETE',
        url: path(person),
        expect: { status: 200 },
      });

      expect(await knex()('up_users').where({ document_id: person })).toEqual([]);
      expect(await historyOf(world().service, person)).toEqual([]);
      const all = JSON.stringify(await knex()(HISTORY).select());
      for (const trace of ['Zoë-Lou', 'zoe-lou@example.org', 'Naturalis', person])
        expect(all).not.toContain(trace);
      expect(await knex()('oms_history_mentions').where({ object: person })).toEqual([]);
      const blanked = await historyOf(world().service, kept);
      expect(blanked.map(({ changes }) => changes.filter(({ path }) => path === 'owner'))).toEqual([
        [{ path: 'owner', before: null, after: null }],
        [],
        [{ path: 'owner', before: null, after: null }],
      ]);
      const follower = await historyOf(world().service, ACCOUNTS.moderator);
      expect(follower.flatMap(({ changes }) => changes).slice(-2)).toEqual([
        { path: 'followed_users', before: [], after: [null] },
        { path: 'followed_users', before: [null], after: [] },
      ]);
      expect(blanked.map(({ actor_id: id, actor_name: name }) => [id, name])).toEqual([
        [ACCOUNTS.administrator, 'A administrator'],
        [null, null],
        [ACCOUNTS.administrator, 'A administrator'],
      ]);
      const rows = await knex()<Json>('encounters')
        .whereIn('document_id', [kept, keyed])
        .orderBy('id');
      expect(
        rows.map((row) => [row['owner_id'], row['import_key'], Number(row['version'])]),
      ).toEqual([
        [null, 'source\u001fleft\u001fe1', 3],
        [null, null, 2],
      ]);
      for (const table of ['oms_sessions', 'oms_tokens', 'oms_mails']) {
        expect(await knex()(table).where({ account: person })).toEqual([]);
      }
      await play(world(), {
        name: 'nobody follows her any more',
        as: 'moderator',
        method: 'GET',
        url: path(ACCOUNTS.moderator),
        expect: { status: 200, response: { followed_users: [] } },
      });
    });

    test('and its ID is kept as a hash alone, so that nothing else gets it', async () => {
      const id = uuid(0x9e2);
      await world().create('user', {
        id,
        name: 'Brief',
        email: 'brief@example.org',
        password: 'correct horse 7',
      });
      await play(world(), {
        name: 'delete',
        as: 'administrator',
        method: 'DELETE',
        url: path(id),
        expect: { status: 200 },
      });
      expect(await historyOf(world().service, id)).toEqual([]);
      expect(await knex()('oms_deleted_ids').select()).toContainEqual({ hash: hashOf(id) });
      await play(world(), {
        name: 'create with the same ID',
        as: 'administrator',
        method: 'POST',
        url: '/api/v0/encounter',
        body: { id },
        expect: { status: 400, key: 'MALFORMED', invalid: [['id', 'FORMAT']] },
      });
    });

    test('and leaves no token behind, though a mail to it is made at the same time', async () => {
      const headers = authorizationOf('administrator');
      let mailed = 0;
      for (let round = 0; round < 30; round += 1) {
        const name = `Round ${round}`;
        const email = `round-${round}@example.org`;
        const id = await world().create('user', { name, email, password: 'correct horse 9' });
        const delivered = deliverMails(world().service);
        // Every fifth time the mail is sent before, otherwise at any step of it.
        await (round % 5 === 0 ? delivered : sleep(round % 10));
        mailed += (await knex()('oms_tokens').where({ account: id })).length;
        expect((await world().send({ method: 'DELETE', url: path(id), headers })).status).toBe(200);
        await delivered;
        expect(await knex()('oms_tokens').where({ account: id })).toEqual([]);
      }
      expect(mailed).toBeGreaterThan(0);
    });

    test('and its address may register again, as a new user', async () => {
      const make = (name: string) =>
        world().create('user', { name, email: 'yes@example.org', password: 'correct horse 8' });
      const once = { method: 'DELETE', url: path(await make('Once')) };
      const headers = authorizationOf('administrator');
      expect((await world().send({ ...once, headers })).status).toBe(200);
      const again = await make('Again');
      await play(world(), {
        name: 'read',
        as: 'administrator',
        method: 'GET',
        url: path(again),
        expect: { status: 200, response: { version: 1, encounters: [], affiliation: null } },
      });
    });
  });

  describe('each object that refers to a deleted account', () => {
    // The writer changes them in sets of 1,000 (`objects/server/write/ripple.ts`): two full ones and a part of a third.
    const COUNT = 2_300;
    const idsFrom = (first: number) => Array.from({ length: COUNT }, (_, at) => uuid(first + at));
    const [encounters, followers] = [idsFrom(0xc00000), idsFrom(0xd00000)];
    const [person, other] = [uuid(0xb161), uuid(0xb162)];

    /** The table in which the lists of followed users are stored. */
    function followed() {
      const { fields } = registryOf(world().service.strapi).model().type('user').resource;
      const link = fields.get('followed_users')?.link;
      if (!link) throw new Error('followed_users is not stored in a table');
      return link;
    }

    /** Users who follow both accounts, as they are stored. */
    async function storeFollowers(): Promise<void> {
      const account = (id: string) => ({
        document_id: id,
        name: 'A',
        account_role: 'user',
        version: 1,
      });
      await knex().batchInsert('up_users', followers.map(account), 100);
      const link = followed();
      await knex().raw(
        `insert into ${link.table} (${link.source}, ${link.target}, ${link.order})
        select f.id, p.id, case p.document_id when '${person}' then 1 else 2 end
        from up_users f, up_users p
        where f.document_id between ? and ? and p.document_id in (?, ?)`,
        [followers[0] ?? '', followers.at(-1) ?? '', person, other],
      );
    }

    /** What other tests have left in the table. */
    let others = 0;

    beforeAll(async () => {
      others = (await knex()<Json>(followed().table)).length;
      for (const id of [person, other])
        await storeAccount(world().service, {
          id,
          name: 'Busy',
          email: `${id}@example.org`,
          role: 'user',
        });
      const made = await objectsOf(world().service.strapi).writeAll(
        encounters.map((id) => ({ op: 'create', type: 'encounter', body: { id, owner: person } })),
        await asAdministrator(),
      );
      expect(made.filter(({ ok }) => !ok)).toEqual([]);
      await storeFollowers();
      await objectsOf(world().service.strapi).write(
        { op: 'delete', type: 'user', id: person },
        await asAdministrator(),
      );
    });

    test.each([
      ['by a reference', 'encounters', encounters, ['owner', null, null]],
      ['in a list', 'up_users', followers, ['followed_users', [null, other], [other]]],
    ] as const)('%s is changed exactly once', async (_, table, ids, change) => {
      const rows = await knex()<Json>(table).whereIn('document_id', ids).orderBy('document_id');
      expect(rows.map((row) => [row['document_id'], Number(row['version'])])).toEqual(
        ids.map((id) => [id, 2]),
      );
      const entries = await knex()<Json>(HISTORY)
        .whereIn('object', ids)
        .where({ action: 'update' })
        .orderBy('object');
      expect(
        entries.map((entry) => [entry['object'], Number(entry['version']), entry['changes']]),
      ).toEqual(ids.map((id) => [id, 2, JSON.stringify([change])]));
    });

    test('no longer refers to it, and still refers to others', async () => {
      const { table } = followed();
      expect(
        await knex()('encounters').whereIn('document_id', encounters).whereNotNull('owner_id'),
      ).toEqual([]);
      expect(await knex()(table)).toHaveLength(others + COUNT);
    });
  });

  describe('the last administrator', () => {
    /** Two who can sign in; those of the roles have no password. */
    const [first, second] = [uuid(0xad1), uuid(0xad2)];
    const make = async (id: string) =>
      objectsOf(world().service.strapi).write(
        {
          op: 'create',
          type: 'user',
          body: {
            id,
            name: 'Admin',
            email: `${id}@example.org`,
            password: 'correct horse 9',
            role: 'administrator',
          },
        },
        await asAdministrator(),
      );
    const as = authorizationOf('administrator');
    const demote = (id: string) =>
      world().send({ method: 'PUT', url: path(id), headers: as, body: { role: 'moderator' } });

    beforeAll(() => make(first));
    beforeEach(() =>
      knex()('up_users')
        .where({ account_role: 'administrator' })
        .whereNotNull('password')
        .whereNot({ document_id: first })
        .update({ account_role: 'user' }),
    );

    runScenarios(world, [
      {
        name: 'cannot be deleted',
        as: 'administrator',
        method: 'DELETE',
        url: path(first),
        expect: { status: 409, key: 'LAST_ADMINISTRATOR' },
      },
      {
        name: 'cannot be demoted',
        as: 'administrator',
        method: 'PUT',
        url: path(first),
        body: { role: 'user' },
        expect: { status: 409, key: 'LAST_ADMINISTRATOR' },
      },
      {
        name: 'cannot be blocked',
        as: 'administrator',
        method: 'PUT',
        url: path(first),
        body: { blocked: true },
        expect: { status: 409, key: 'LAST_ADMINISTRATOR' },
      },
      {
        name: 'can be changed otherwise',
        as: 'administrator',
        method: 'PUT',
        url: path(first),
        body: { name: 'Chief' },
        expect: { status: 200 },
      },
    ]);

    test('of two who are demoted at once, one stays', async () => {
      for (let round = 0; round < 5; round += 1) {
        await make(second).catch(() => undefined);
        const answers = await Promise.all([demote(first), demote(second)]);
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
        const left = await knex()('up_users')
          .where({ account_role: 'administrator' })
          .whereNotNull('password')
          .select('document_id');
        expect(left).toHaveLength(1);
        for (const id of [first, second]) {
          await world().send({
            method: 'PUT',
            url: path(id),
            headers: as,
            body: { role: 'administrator' },
          });
        }
      }
    });
  });
}
