import { randomUUID } from 'node:crypto';
import { openToRoles } from '../../helpers/callers';
import { deleteAccount } from '../../helpers/accounts';
import { idsOf } from '../../helpers/ids';
import { at, parsed, type Json } from '../../helpers/json';
import { refusal, useMembers, type Member } from '../../helpers/members';
import { bearer, responseOf } from '../../helpers/people';
import { play } from '../../helpers/scenario';
import { historyOf } from '../../helpers/snapshot';
import { photograph, uploadRequest } from '../../helpers/upload';
import { type World } from '../../helpers/world';

/** Orgs and their members. */
export function testOrgs(world: () => World): void {
  const uuid = idsOf(1);
  const knex = () => world().service.strapi.db.connection;

  const { as, done, invalid, newPerson, read } = useMembers(world);

  const FORBIDDEN = refusal(403, 'NOT_PERMITTED');
  const CONFLICT = refusal(409, 'STATE_CONFLICT');

  const newOrg = async (owner: Member, body: Json = {}): Promise<string> =>
    String(
      responseOf(await as(owner, 'POST', 'org', { name: `Org ${randomUUID()}`, ...body }))['id'],
    );
  /** Brings people into an org of this owner. */
  async function admit(owner: Member, org: string, role: string, ...people: readonly Member[]) {
    for (const person of people) {
      await as(person, 'POST', `org/${org}/join`, {});
      await as(owner, 'POST', `org/${org}/member`, { user: person.id, role });
    }
  }

  let [owner, manager, member, stranger] = [] as unknown as [Member, Member, Member, Member];
  beforeAll(async () => {
    await openToRoles(world().service);
    [owner, manager, member, stranger] = [
      await newPerson(),
      await newPerson(),
      await newPerson(),
      await newPerson(),
    ];
  });

  describe('an org is made', () => {
    test('by a user, who owns, manages and belongs to it', async () => {
      const name = `Zebra Watch ${randomUUID()}`;
      const id = await newOrg(owner, { name, country_code: 'ke', email: 'hello@example.org' });
      expect(await read(null, `org/${id}`)).toEqual({
        id,
        name,
        description: null,
        website: null,
        email: 'hello@example.org',
        country_code: 'KE',
        logo_id: null,
        owner: owner.id,
        managers: [owner.id],
        members: [owner.id],
        member_count: 1,
        version: 1,
        created_at: expect.any(String) as unknown,
        updated_at: expect.any(String) as unknown,
        permissions: [],
      });
      const own = await read(owner, `org/${id}`);
      expect(own).toMatchObject({ join_requests: [], permissions: ['update', 'delete', 'member'] });
      expect(await read(stranger, `org/${id}`)).toMatchObject({ permissions: ['join'] });
      expect(await read(owner, `user/${owner.id}`)).toMatchObject({ version: 1 });
      expect((await read(null, `user/${owner.id}`))['organizations']).toContain(id);
      const taken = await as(stranger, 'POST', 'org', { name: name.toUpperCase() });
      expect([taken.status, at(parsed(taken.text), 'message', 'args')]).toEqual([
        400,
        { type: 'org', path: 'name', id },
      ]);
    });

    test('not by the anonymous, not without a name, and for another by a moderator alone', async () => {
      expect(await done(as(null, 'POST', 'org', { name: 'x' }))).toEqual(
        refusal(401, 'LOGIN_REQUIRED'),
      );
      expect(await invalid(as(owner, 'POST', 'org', {}))).toEqual([
        400,
        [['name', 'API_RESPONSE_REQUIRED', {}]],
      ]);
      const body = { name: `Given ${randomUUID()}`, owner: stranger.id };
      expect(await done(as(owner, 'POST', 'org', body))).toEqual(
        refusal(403, 'FIELD_NOT_PERMITTED'),
      );
      const { id } = responseOf(await as('moderator', 'POST', 'org', body));
      expect(await read(null, `org/${String(id)}`)).toMatchObject({
        owner: stranger.id,
        managers: [stranger.id],
      });
    });

    test('and the session says that one may', async () => {
      const { may } = await read(stranger, 'session');
      expect((may as Json)['create']).toContain('org');
    });

    test('with a logo that anyone may see then', async () => {
      const sent = uploadRequest({ bytes: await photograph() }, bearer(owner.secret));
      const { id: asset, path } = responseOf(await world().send(sent));
      expect((await as(null, 'GET', `asset/${String(asset)}`)).status).toBe(402);
      const id = await newOrg(owner, { logo_id: path });
      expect((await as(null, 'GET', `asset/${String(asset)}`)).status).toBe(200);
      expect(await invalid(as(stranger, 'POST', 'org', { name: 'Thief', logo_id: path }))).toEqual([
        400,
        [['logo_id', 'API_RESPONSE_NO_SUCH', { type: 'asset' }]],
      ]);
      await as(owner, 'DELETE', `org/${id}`);
      expect((await as(null, 'GET', `asset/${String(asset)}`)).status).toBe(402);
    });
  });

  describe('who may do what with an org', () => {
    let org = '';
    beforeAll(async () => {
      org = await newOrg(owner);
      await admit(owner, org, 'manager', manager);
      await admit(owner, org, 'member', member);
    });

    test.each<[string, () => Member | null, number, string[]]>([
      ['nobody', () => null, 401, []],
      ['a stranger', () => stranger, 403, ['join']],
      ['a member', () => member, 403, ['leave']],
      ['a manager', () => manager, 200, ['update', 'delete', 'leave', 'member']],
      ['the owner', () => owner, 200, ['update', 'delete', 'member']],
    ])('%s', async (name, who, status, permissions) => {
      const found = await read(who(), `org/${org}`);
      expect(found['permissions']).toEqual(permissions);
      expect('join_requests' in found).toBe(status === 200);
      const changed = await as(who(), 'PUT', `org/${org}`, { description: name });
      expect(changed.status).toBe(status);
      const accepted = await as(who(), 'POST', `org/${org}/member`, {
        user: member.id,
        role: 'member',
      });
      expect(accepted.status).toBe(status);
      if (status !== 200) expect((await as(who(), 'DELETE', `org/${org}`)).status).toBe(status);
    });

    test('a moderator may do all of it', async () => {
      const found = responseOf(await as('moderator', 'GET', `org/${org}`));
      expect(found['permissions']).toEqual(['update', 'delete', 'join', 'member']);
      expect(found['join_requests']).toEqual([]);
      expect((await as('moderator', 'PUT', `org/${org}`, { description: 'mod' })).status).toBe(200);
      const role = { user: member.id, role: 'manager' };
      expect((await as('moderator', 'POST', `org/${org}/member`, role)).status).toBe(200);
      await as('moderator', 'POST', `org/${org}/member`, { ...role, role: 'member' });
    });

    test('an action is refused in the order of the checks', async () => {
      const call = (id: string, body: Json) => as(stranger, 'POST', `org/${id}/member`, body);
      expect(await done(call(uuid(0xdead), { nope: 1 }))).toEqual(refusal(402, 'ENTITY_NOT_FOUND'));
      expect(await done(call(org, { nope: 1 }))).toEqual(FORBIDDEN);
      await play(world(), {
        name: 'version',
        method: 'POST',
        url: `/api/v0/org/${org}/member`,
        headers: { ...bearer(owner.secret), 'If-Match': '"1"' },
        body: { nope: 1 },
        expect: { status: 412, key: 'VERSION_MISMATCH' },
      });
      const member_ = (body: Json) => invalid(as(owner, 'POST', `org/${org}/member`, body));
      expect(await member_({ user: 'x', role: 'king', nope: 1 })).toEqual([
        400,
        [
          ['nope', 'API_RESPONSE_UNKNOWN', {}],
          ['user', 'API_RESPONSE_FORMAT', { expected: 'uuid' }],
          ['role', 'API_RESPONSE_NOT_ONE_OF', { allowed: ['member', 'manager'] }],
        ],
      ]);
      expect(await member_({ user: stranger.id })).toEqual([
        400,
        [['role', 'API_RESPONSE_REQUIRED', {}]],
      ]);
      expect(await member_({ user: uuid(0xdead), role: null })).toEqual([
        400,
        [['user', 'API_RESPONSE_NO_SUCH', { type: 'user' }]],
      ]);
      expect(await invalid(as(stranger, 'POST', `org/${org}/join?x=1`, { y: 1 }))).toEqual([
        400,
        expect.arrayContaining([
          ['x', 'API_RESPONSE_UNKNOWN', {}],
          ['y', 'API_RESPONSE_UNKNOWN', {}],
        ]) as unknown,
      ]);
    });

    test.each(['managers', 'members', 'join_requests', 'member_count'])(
      '%s changes by the actions alone',
      async (field) => {
        expect(await invalid(as(owner, 'PUT', `org/${org}`, { [field]: [] }))).toEqual([
          400,
          [[field, 'API_RESPONSE_NOT_WRITABLE', {}]],
        ]);
      },
    );
  });

  describe('a membership', () => {
    test('begins with a request, and each step is a change of the org', async () => {
      const org = await newOrg(owner);
      const call = (who: Member, action: string, body: Json = {}) =>
        done(as(who, 'POST', `org/${org}/${action}`, body));
      const assign = (role: string | null) => call(owner, 'member', { user: member.id, role });
      const steps: [() => Promise<unknown>, unknown][] = [
        [() => call(member, 'leave'), CONFLICT],
        [() => assign('member'), CONFLICT],
        [() => call(member, 'join'), { id: org, version: 1 }],
        [() => call(member, 'join'), CONFLICT],
        [() => assign('member'), { id: org, version: 2 }],
        [() => assign('member'), { id: org, version: 2 }],
        [() => call(member, 'join'), CONFLICT],
        [() => assign('manager'), { id: org, version: 3 }],
        [() => assign('member'), { id: org, version: 4 }],
        [() => assign(null), { id: org, version: 5 }],
        [() => assign(null), CONFLICT],
        [() => call(member, 'join'), { id: org, version: 5 }],
        [() => assign(null), { id: org, version: 5 }],
        [() => call(member, 'join'), { id: org, version: 5 }],
        [() => call(member, 'leave'), { id: org, version: 5 }],
        [() => call(owner, 'leave'), CONFLICT],
        [() => call(owner, 'member', { user: owner.id, role: null }), CONFLICT],
        [() => call(owner, 'member', { user: owner.id, role: 'member' }), CONFLICT],
      ];
      for (const [step, expected] of steps) expect(await step()).toEqual(expected);

      const added = (path: string, id: string) => ({ path, before: [], after: [id] });
      const removed = (path: string, id: string) => ({ path, before: [id], after: [] });
      const count = (before: number, after: number) => ({ path: 'member_count', before, after });
      const { id } = member;
      const entries = (await historyOf(world().service, org)).map(
        ({ action, version, changes, actor_id: actor }) => ({ action, version, changes, actor }),
      );
      expect(entries.slice(1)).toEqual([
        { action: 'join', version: 1, actor: id, changes: [added('join_requests', id)] },
        {
          action: 'member',
          version: 2,
          actor: owner.id,
          changes: [added('members', id), removed('join_requests', id), count(1, 2)],
        },
        { action: 'member', version: 3, actor: owner.id, changes: [added('managers', id)] },
        { action: 'member', version: 4, actor: owner.id, changes: [removed('managers', id)] },
        {
          action: 'member',
          version: 5,
          actor: owner.id,
          changes: [removed('members', id), count(2, 1)],
        },
        { action: 'join', version: 5, actor: id, changes: [added('join_requests', id)] },
        { action: 'member', version: 5, actor: owner.id, changes: [removed('join_requests', id)] },
        { action: 'join', version: 5, actor: id, changes: [added('join_requests', id)] },
        { action: 'leave', version: 5, actor: id, changes: [removed('join_requests', id)] },
      ]);
    });

    test('lists people in the order in which they came, and shows on each of them', async () => {
      const org = await newOrg(owner);
      const { version } = await read(member, `user/${member.id}`);
      await as(member, 'POST', `org/${org}/join`, {});
      await as(stranger, 'POST', `org/${org}/join`, {});
      expect(await read(owner, `org/${org}`)).toMatchObject({
        join_requests: [member.id, stranger.id],
        member_count: 1,
      });
      expect((await read(null, `user/${member.id}`))['organizations']).not.toContain(org);
      for (const { id } of [stranger, member])
        await as(owner, 'POST', `org/${org}/member`, { user: id, role: 'member' });
      await as(owner, 'POST', `org/${org}/member`, { user: member.id, role: 'manager' });
      expect(await read(owner, `org/${org}?include=members`)).toMatchObject({
        managers: [owner.id, member.id],
        members: [owner.id, stranger.id, member.id],
        join_requests: [],
        member_count: 3,
        included: { user: { [member.id]: { display_name: member.name } } },
      });
      const shown = await read(null, `user/${member.id}`);
      expect(shown['organizations']).toContain(org);
      expect((await read(member, `user/${member.id}`))['version']).toBe(version);
    });

    test('is asked for once, however often at once, and by many at once', async () => {
      const org = await newOrg(owner);
      const path = `org/${org}/join`;
      const twice = await Promise.all([1, 2, 3].map(() => as(member, 'POST', path, {})));
      expect(twice.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
      const people = [manager, stranger, await newPerson(), await newPerson()];
      const many = await Promise.all(people.map((who) => as(who, 'POST', path, {})));
      expect(many.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const found = await read(owner, `org/${org}`);
      expect([found['version'], found['updated_at']]).toEqual([1, found['created_at']]);
      expect([...(found['join_requests'] as string[])].sort()).toEqual(
        [member, ...people].map(({ id }) => id).sort(),
      );
    });
  });

  describe('the owner of an org', () => {
    test('gives it to a manager, and may leave then', async () => {
      const org = await newOrg(owner);
      await admit(owner, org, 'manager', manager);
      await admit(owner, org, 'member', member);
      const give = (who: Member, to: string | null) => as(who, 'PUT', `org/${org}`, { owner: to });
      const conflict = [400, [['owner', 'API_RESPONSE_CONFLICT', { with: 'managers' }]]];
      expect(await invalid(give(owner, member.id))).toEqual(conflict);
      expect(await invalid(give(owner, null))).toEqual(conflict);
      expect(await invalid(give(owner, uuid(0xdead)))).toEqual([
        400,
        [['owner', 'API_RESPONSE_NO_SUCH', { type: 'user' }]],
      ]);
      expect(await done(give(manager, manager.id))).toEqual(refusal(403, 'FIELD_NOT_PERMITTED'));
      expect((await give(manager, owner.id)).status).toBe(200);
      expect((await give(owner, manager.id)).status).toBe(200);
      expect((await as(manager, 'POST', `org/${org}/leave`, {})).status).toBe(409);
      expect((await as(owner, 'POST', `org/${org}/leave`, {})).status).toBe(200);
      expect(await read(null, `org/${org}`)).toMatchObject({
        owner: manager.id,
        managers: [manager.id],
        members: [manager.id, member.id],
      });
    });

    test('is a manager, whoever is quicker: who gives it away, or who takes the role', async () => {
      for (let round = 0; round < 5; round += 1) {
        const org = await newOrg(owner);
        await admit(owner, org, 'manager', manager);
        const [given, taken] = await Promise.all([
          as(owner, 'PUT', `org/${org}`, { owner: manager.id }),
          as(owner, 'POST', `org/${org}/member`, { user: manager.id, role: null }),
        ]);
        expect([
          [200, 409],
          [400, 200],
        ]).toContainEqual([given.status, taken.status]);
        const { owner: now, managers } = await read(null, `org/${org}`);
        expect(managers).toContain(now);
      }
    });
  });

  describe('an encounter with orgs', () => {
    test('is of an owner who belongs to each that is added, and is seen by the members', async () => {
      const org = await newOrg(owner);
      const other = await newOrg(stranger);
      await admit(owner, org, 'member', member);
      const body = { organizations: [org, other] };
      const conflict = (n: number) => [
        `organizations.${n}`,
        'API_RESPONSE_CONFLICT',
        { with: 'owner' },
      ];
      expect(await invalid(as(member, 'POST', 'encounter', body))).toEqual([400, [conflict(1)]]);
      expect(await invalid(as(null, 'POST', 'encounter', body))).toEqual([401, []]);
      const { id } = responseOf(await as(member, 'POST', 'encounter', { organizations: [org] }));
      const path = `encounter/${String(id)}`;
      await knex()('encounters').where({ document_id: id }).update({ state: 'pending' });
      expect((await read(member, path))['organizations']).toEqual([org]);
      expect(await read(owner, path)).toMatchObject({ organizations: [org], permissions: [] });
      expect((await as(stranger, 'GET', path)).status).toBe(402);
      expect(await done(as(owner, 'PUT', path, {}))).toEqual(FORBIDDEN);
      expect(await invalid(as(member, 'PUT', path, body))).toEqual([400, [conflict(1)]]);
      expect(await invalid(as('moderator', 'PUT', path, { owner: stranger.id }))).toEqual([
        400,
        [conflict(0)],
      ]);
      expect((await as('moderator', 'PUT', path, { owner: owner.id })).status).toBe(200);
      expect((await as('moderator', 'PUT', path, { owner: member.id })).status).toBe(200);

      await as(member, 'POST', `org/${org}/leave`, {});
      expect((await as(owner, 'GET', path)).status).toBe(200);
      expect((await as(member, 'PUT', path, { organizations: [org], remarks: 'x' })).status).toBe(
        200,
      );
      expect((await as(member, 'PUT', path, { organizations: [] })).status).toBe(200);
      expect((await as(owner, 'GET', path)).status).toBe(402);
      expect(await invalid(as(member, 'PUT', path, { organizations: [org] }))).toEqual([
        400,
        [conflict(0)],
      ]);
    });
  });

  describe('a deletion', () => {
    test('of an org takes its memberships and the references to it along', async () => {
      const org = await newOrg(owner);
      await admit(owner, org, 'member', member);
      const { id } = responseOf(await as(member, 'POST', 'encounter', { organizations: [org] }));
      await as(member, 'PUT', `user/${member.id}`, { followed_orgs: [org] });
      expect((await as(member, 'DELETE', `org/${org}`)).status).toBe(403);
      expect((await as(owner, 'DELETE', `org/${org}`)).status).toBe(200);
      expect(await read(member, `encounter/${String(id)}`)).toMatchObject({
        organizations: [],
        version: 2,
      });
      const followed = await read(member, `user/${member.id}`);
      expect(followed['followed_orgs']).toEqual([]);
      expect(followed['organizations']).not.toContain(org);
      const left = await knex()('oms_memberships')
        .leftJoin('orgs', 'orgs.id', 'oms_memberships.org')
        .whereNull('orgs.id');
      expect(left).toEqual([]);
      const entry = (await historyOf(world().service, org)).at(-1);
      expect(entry?.action).toBe('delete');
      expect(entry?.changes).toContainEqual({
        path: 'members',
        before: [owner.id, member.id],
        after: [],
      });
    });

    test('of a user passes each org to its longest-standing manager, and names the user nowhere', async () => {
      const person = await newPerson();
      const [passed, orphaned, joined, asked] = [
        await newOrg(person),
        await newOrg(person),
        await newOrg(owner),
        await newOrg(owner),
      ];
      // The member came first, and is a manager later than the manager.
      await admit(person, passed, 'member', member);
      await admit(person, passed, 'manager', manager);
      await as(person, 'POST', `org/${passed}/member`, { user: member.id, role: 'manager' });
      await admit(person, orphaned, 'member', member);
      await admit(owner, joined, 'member', person);
      await as(person, 'POST', `org/${asked}/join`, {});
      const before = await Promise.all(
        [passed, orphaned, joined, asked].map((org) => read(owner, `org/${org}`)),
      );

      await deleteAccount(world().service, person.id);

      const next = (at: number) => Number(before[at]?.['version']) + 1;
      expect(await read(null, `org/${passed}`)).toMatchObject({
        owner: manager.id,
        managers: [manager.id, member.id],
        members: [member.id, manager.id],
        member_count: 2,
        version: next(0),
      });
      expect(await read(null, `org/${orphaned}`)).toMatchObject({
        owner: null,
        managers: [],
        members: [member.id],
        member_count: 1,
        version: next(1),
      });
      expect(await read(owner, `org/${joined}`)).toMatchObject({
        owner: owner.id,
        members: [owner.id],
        member_count: 1,
        version: next(2),
      });
      expect(await read(owner, `org/${asked}`)).toMatchObject({
        join_requests: [],
        version: next(3) - 1,
      });
      const lost = (path: string) => ({ path, before: [null], after: [] });
      const count = (from: number) => ({ path: 'member_count', before: from, after: from - 1 });
      const last = async (org: string) => (await historyOf(world().service, org)).at(-1);
      expect(await last(passed)).toMatchObject({
        action: 'update',
        version: next(0),
        changes: [
          { path: 'owner', before: null, after: manager.id },
          lost('managers'),
          lost('members'),
          count(3),
        ],
      });
      expect(await last(orphaned)).toMatchObject({
        changes: [
          { path: 'owner', before: null, after: null },
          lost('managers'),
          lost('members'),
          count(2),
        ],
      });
      expect(await last(joined)).toMatchObject({ changes: [lost('members'), count(2)] });
      expect(await last(asked)).toMatchObject({ changes: [lost('join_requests')] });
      const all = JSON.stringify(await knex()('oms_history').select());
      expect(all).not.toContain(person.id);

      // Nobody manages it: a moderator accepts somebody who may own it.
      await as('moderator', 'POST', `org/${orphaned}/member`, { user: member.id, role: 'manager' });
      expect((await as('moderator', 'PUT', `org/${orphaned}`, { owner: member.id })).status).toBe(
        200,
      );
    });
  });
}
