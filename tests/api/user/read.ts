import type { Role } from '#app/core/caller';
import { ACCOUNTS, authorizationOf, openToRoles } from '../../helpers/callers';
import { idsOf } from '../../helpers/ids';
import { asObject, at, parsed, type Json } from '../../helpers/json';
import { play, runScenarios } from '../../helpers/scenario';
import { useSettings, type World } from '../../helpers/world';

/** The reading of accounts, and of encounters by their owners and others. */
export function testRead(world: () => World): void {
  const uuid = idsOf(4);
  const url = `/api/v0/user/${ACCOUNTS.user}`;

  const EVERYONE = [
    'id',
    'name',
    'affiliation',
    'website',
    'photo_id',
    'role',
    'organizations',
    'encounters',
    'created_at',
    'permissions',
  ];
  const FOLLOWS = [
    'collaborators',
    'followed_users',
    'followed_individuals',
    'followed_orgs',
    'followed_encounters',
  ];
  const MODERATOR = [...EVERYONE, ...FOLLOWS, 'version', 'updated_at', 'email'];
  const SELF = [...MODERATOR, 'username', 'email_verified', 'language'];

  /** Who reads the account of the plain user, and what they see of it. */
  const SEEN: readonly [Role, readonly string[]][] = [
    ['anonymous', EVERYONE],
    ['user', SELF],
    ['moderator', MODERATOR],
    ['administrator', [...SELF, 'blocked']],
  ];

  describe('where everybody may read', () => {
    useSettings(world, { review_encounters: true });

    async function readAs(role: Role, path: string): Promise<Json> {
      await openToRoles(world().service);
      const { text } = await world().send({
        method: 'GET',
        url: path,
        headers: authorizationOf(role),
      });
      return asObject(at(parsed(text), 'response'));
    }

    describe('an account is seen', () => {
      test.each(SEEN)('by %s in these fields and no others', async (role, fields) => {
        expect(Object.keys(await readAs(role, url)).sort()).toEqual([...fields].sort());
      });

      test('by another user as by anybody', async () => {
        const read = await readAs('user', `/api/v0/user/${ACCOUNTS.moderator}`);
        expect(Object.keys(read).sort()).toEqual([...EVERYONE].sort());
      });

      test('with permissions that hold', async () => {
        const permissions = async (role: Role): Promise<unknown> =>
          (await readAs(role, url))['permissions'];
        expect(await permissions('anonymous')).toEqual([]);
        expect(await permissions('user')).toEqual(['update']);
        expect(await permissions('moderator')).toEqual([]);
        expect(await permissions('administrator')).toEqual(['update', 'delete']);
      });

      runScenarios(world, [
        {
          name: 'not by a field that the caller may not see',
          as: 'anonymous',
          method: 'GET',
          url: `${url}?fields=email,name,username,blocked`,
          expect: { status: 200, response: { name: 'A user' } },
          never: ['user@example.org', 'blocked', 'username'],
        },
        ...['password', 'current_password', 'accountRole', 'email_key'].map((name) => ({
          name: `never by ${name}`,
          as: 'administrator' as const,
          method: 'GET',
          url: `${url}?fields=${name}`,
          expect: { status: 400, key: 'MALFORMED', invalid: [['fields', 'NOT_ONE_OF']] as const },
          never: ['argon2'],
        })),
        {
          name: 'with one ETag by who may not update it, whatever is hidden',
          method: 'GET',
          url,
          expect: { status: 200, headers: { etag: /^"(?!\d+-)[\w-]+"$/ } },
        },
        {
          name: 'not where there is none',
          method: 'GET',
          url: `/api/v0/user/${uuid(0xdead)}`,
          expect: { status: 402, key: 'ENTITY_NOT_FOUND' },
        },
      ]);
    });

    describe('the encounters of a user', () => {
      const encounter = uuid(0xe0);

      beforeAll(async () => {
        await openToRoles(world().service);
        for (const id of [encounter, uuid(0xe1)]) {
          const answer = await world().send({
            method: 'POST',
            url: '/api/v0/encounter',
            headers: authorizationOf('user'),
            body: { id },
          });
          expect(answer.status).toBe(200);
        }
        await world()
          .service.strapi.db.connection('encounters')
          .where({ document_id: encounter })
          .update({ state: 'approved' });
      });

      test.each<[Role, readonly string[]]>([
        ['anonymous', [encounter]],
        ['user', [uuid(0xe1), encounter]],
        ['moderator', [uuid(0xe1), encounter]],
      ])(
        'are listed to %s as far as they may be read, the newest first',
        async (role, expected) => {
          expect((await readAs(role, url))['encounters']).toEqual(expected);
        },
      );

      const hidden = `/api/v0/encounter/${uuid(0xe1)}`;
      runScenarios(world, [
        {
          name: 'that wait for a review do not exist for others',
          as: 'anonymous',
          method: 'GET',
          url: hidden,
          expect: { status: 402, key: 'ENTITY_NOT_FOUND' },
        },
        {
          name: 'that wait for a review are there for their owner, who may change them',
          as: 'user',
          method: 'PUT',
          url: hidden,
          body: { remarks: 'mine' },
          expect: { status: 200 },
        },
        {
          name: 'have IDs that nobody can try out',
          as: 'anonymous',
          method: 'POST',
          url: '/api/v0/user',
          body: {
            name: 'X',
            email: 'x@example.org',
            password: 'correct horse',
            followed_encounters: [uuid(0xe1)],
          },
          expect: {
            status: 400,
            key: 'MALFORMED',
            invalid: [['followed_encounters.0', 'NO_SUCH']],
          },
        },
      ]);
    });
  });

  describe('where only users may read', () => {
    useSettings(world, { review_encounters: false, readers: 'users' });
    const path = `/api/v0/encounter/${uuid(0xe2)}`;

    beforeAll(async () => {
      await openToRoles(world().service);
      await world().send({
        method: 'POST',
        url: '/api/v0/encounter',
        headers: authorizationOf('moderator'),
        body: { id: uuid(0xe2) },
      });
    });

    runScenarios(world, [
      {
        name: 'the anonymous log in first',
        as: 'anonymous',
        method: 'GET',
        url: path,
        expect: { status: 401, key: 'LOGIN_REQUIRED' },
      },
      { name: 'a user reads', as: 'user', method: 'GET', url: path, expect: { status: 200 } },
      {
        name: 'users and taxa stay open',
        as: 'anonymous',
        method: 'GET',
        url: `/api/v0/user/${ACCOUNTS.moderator}`,
        expect: { status: 200, response: { encounters: [] } },
      },
    ]);
  });

  describe('where reports without a login are taken', () => {
    useSettings(world, { readers: 'anyone', anonymous_encounters: true, review_encounters: true });

    test('an encounter without an owner is made, and only moderators see it before it is approved', async () => {
      const id = uuid(0xe3);
      const body = { id, submitter_email: 'reporter@example.org' };
      await play(world(), {
        name: 'report',
        method: 'POST',
        url: '/api/v0/encounter',
        body,
        expect: { status: 200 },
      });
      const path = `/api/v0/encounter/${id}`;
      await play(world(), {
        name: 'user',
        as: 'user',
        method: 'GET',
        url: path,
        expect: { status: 402, key: 'ENTITY_NOT_FOUND' },
      });
      await play(world(), {
        name: 'moderator',
        as: 'moderator',
        method: 'GET',
        url: path,
        expect: { status: 200, response: { owner: null, submitter_email: 'reporter@example.org' } },
      });
      await play(world(), {
        name: 'an ID that is taken by what one may not know of is a malformed one',
        as: 'user',
        method: 'POST',
        url: '/api/v0/encounter',
        body: { id },
        expect: { status: 400, key: 'MALFORMED', invalid: [['id', 'FORMAT']] },
      });
    });
  });
}
