import { ACCOUNTS, authorizationOf, openToRoles } from '../../helpers/callers';
import { idsOf } from '../../helpers/ids';
import { at, parsed, type Json } from '../../helpers/json';
import { play, runScenarios } from '../../helpers/scenario';
import { useSettings, type World } from '../../helpers/world';

/** The creation of accounts, with the settings of a new service. */
export function testCreate(world: () => World): void {
  const uuid = idsOf(5);
  const url = '/api/v0/user';
  const PASSWORD = 'correct horse battery';

  const somebody = (email: string, more: Json = {}): Json => ({
    name: 'Somebody',
    email,
    password: PASSWORD,
    ...more,
  });

  describe('where registration is open', () => {
    async function rowsOf(email: string): Promise<Record<string, unknown>[]> {
      return world().service.strapi.db.connection('up_users').where({ email_key: email }).select();
    }

    describe('whoever registers', () => {
      test('is read back with the defaults of the prototype, and has a hash of argon2id alone', async () => {
        const id = await world().create('user', somebody(' Anna@Example.org '));
        const [row] = await rowsOf('anna@example.org');
        expect(row?.['password']).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
        expect(JSON.stringify(row)).not.toContain(PASSWORD);
        const { text } = await play(world(), {
          name: 'read by an administrator',
          as: 'administrator',
          method: 'GET',
          url: `${url}/${id}`,
          expect: { status: 200 },
        });
        expect(at(parsed(text), 'response')).toEqual({
          id,
          username: null,
          name: 'Somebody',
          affiliation: null,
          website: null,
          email: 'Anna@Example.org',
          photo_id: null,
          role: 'user',
          organizations: [],
          encounters: [],
          collaborators: [],
          followed_users: [],
          followed_individuals: [],
          followed_orgs: [],
          followed_encounters: [],
          email_verified: false,
          language: 'en',
          blocked: false,
          version: 1,
          created_at: expect.any(String) as unknown,
          updated_at: expect.any(String) as unknown,
          permissions: ['update', 'delete'],
        });
      });

      test('with a domain in other letters is read as it was written, and is the same in any spelling', async () => {
        const written = somebody('b@Bücher.example');
        const id = await world().create('user', written);
        const [row] = await rowsOf('b@xn--bcher-kva.example');
        expect([row?.['document_id'], row?.['email']]).toEqual([id, 'b@Bücher.example']);
        for (const email of ['b@xn--bcher-kva.example', 'B@BÜCHER.example', 'b@bücher.example'])
          await play(world(), {
            name: email,
            method: 'POST',
            url,
            body: somebody(email),
            expect: { status: 400, key: 'ENTITY_EXISTS', invalid: [['email', 'TAKEN']] },
          });
        for (const username of ['b@bücher.example', 'b@xn--bcher-kva.example'])
          await play(world(), {
            name: `logs in as ${username}`,
            method: 'POST',
            url: '/api/v0/login',
            body: { username, password: PASSWORD },
            expect: { status: 200 },
          });
      });

      test('twenty times at once with one address makes one account', async () => {
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, number) =>
            world().send({
              method: 'POST',
              url,
              body: somebody(number % 2 === 0 ? 'twenty@example.org' : 'TWENTY@example.org'),
            }),
          ),
        );
        const statuses = answers.map(({ status }) => status).sort();
        expect(statuses).toEqual([200, ...Array<number>(19).fill(400)]);
        expect(await rowsOf('twenty@example.org')).toHaveLength(1);
      });

      test('with the ID of an object that is there already makes no second one', async () => {
        const id = uuid(0xabc);
        await world().create('user', somebody('first@example.org', { id }));
        await play(world(), {
          name: 'again',
          method: 'POST',
          url,
          body: somebody('second@example.org', { id }),
          expect: {
            status: 400,
            key: 'ENTITY_EXISTS',
            args: { type: 'user', id },
            invalid: [['id', 'TAKEN']],
          },
        });
      });
    });

    describe('a registration', () => {
      beforeAll(() =>
        world().create(
          'user',
          somebody('taken@example.org', { username: 'Taken', id: uuid(0x7a7) }),
        ),
      );

      runScenarios(world, [
        {
          name: 'with an address that is taken does not tell by whom',
          method: 'POST',
          url,
          body: somebody('TAKEN@example.org'),
          expect: {
            status: 400,
            key: 'ENTITY_EXISTS',
            args: { type: 'user', path: 'email' },
            invalid: [['email', 'TAKEN']],
          },
          never: [uuid(0x7a7)],
        },
        {
          name: 'with a user name that is taken, in another case, neither',
          method: 'POST',
          url,
          body: somebody('other@example.org', { username: 'tAKEN' }),
          expect: { status: 400, key: 'ENTITY_EXISTS', invalid: [['username', 'TAKEN']] },
          never: [uuid(0x7a7)],
        },
        {
          name: 'names all that is wrong at once',
          method: 'POST',
          url,
          body: { email: 'x', username: 'a@b', website: 'ftp://x', followed_orgs: [uuid(1)] },
          expect: {
            status: 400,
            key: 'MALFORMED',
            invalid: [
              ['name', 'REQUIRED'],
              ['email', 'FORMAT'],
              ['password', 'REQUIRED'],
              ['username', 'FORMAT'],
              ['website', 'FORMAT'],
              ['followed_orgs.0', 'NO_SUCH'],
            ],
          },
        },
        {
          name: 'that is malformed anyway does not reveal whether an address is registered',
          method: 'POST',
          url,
          body: somebody('taken@example.org', { name: '' }),
          expect: { status: 400, key: 'MALFORMED', invalid: [['name', 'TOO_SHORT']] },
        },
        {
          name: 'has a password of characters, whatever each of them takes to store',
          method: 'POST',
          url,
          body: somebody('emoji@example.org', { password: '😀😀😀😀😀' }),
          expect: { status: 400, key: 'MALFORMED', invalid: [['password', 'TOO_SHORT']] },
        },
        ...(['moderator', 'administrator', 'administator'] as const).map((role) => ({
          name: `as ${role} is refused`,
          method: 'POST',
          url,
          body: somebody('high@example.org', { role }),
          expect: {
            status: 403,
            key: 'FIELD_NOT_PERMITTED',
            invalid: [['role', 'NOT_PERMITTED']] as const,
          },
        })),
        {
          name: 'that is blocked is refused, also by a moderator',
          as: 'moderator',
          method: 'POST',
          url,
          body: somebody('blocked@example.org', { blocked: false }),
          expect: {
            status: 403,
            key: 'FIELD_NOT_PERMITTED',
            invalid: [['blocked', 'NOT_PERMITTED']],
          },
        },
        {
          name: 'as user is what it would be anyway',
          method: 'POST',
          url,
          body: somebody('plain@example.org', { role: 'user' }),
          expect: { status: 200 },
        },
        {
          name: 'with a password of ten million in the list is refused',
          method: 'POST',
          url,
          body: somebody('weak@example.org', { password: 'qwertyuiop' }),
          expect: { status: 400, key: 'MALFORMED', invalid: [['password', 'FORMAT']] },
        },
        {
          name: 'by a moderator needs a password as anybody else’s',
          as: 'moderator',
          method: 'POST',
          url,
          body: { name: 'X', email: 'm@example.org' },
          expect: { status: 400, key: 'MALFORMED', invalid: [['password', 'REQUIRED']] },
        },
        {
          name: 'by an administrator may have a role, in either spelling',
          as: 'administrator',
          method: 'POST',
          url,
          body: somebody('admin2@example.org', { role: 'administator' }),
          expect: { status: 200 },
        },
      ]);

      test('that an administrator made without a password waits for the invitation', async () => {
        await openToRoles(world().service);
        const answer = await world().send({
          method: 'POST',
          url,
          headers: authorizationOf('administrator'),
          body: { name: 'Invited', email: 'invited@example.org' },
        });
        expect(answer.status).toBe(200);
        const [row] = await rowsOf('invited@example.org');
        expect(row?.['password']).toBeNull();
      });
    });
  });

  describe('where registration is closed', () => {
    useSettings(world, { registration_open: false });

    runScenarios(world, [
      {
        name: 'nobody registers',
        method: 'POST',
        url,
        body: somebody('a@example.org'),
        expect: { status: 403, key: 'REGISTRATION_CLOSED' },
      },
      {
        name: 'nor does a moderator make an account',
        as: 'moderator',
        method: 'POST',
        url,
        body: somebody('b@example.org'),
        expect: { status: 403, key: 'REGISTRATION_CLOSED' },
      },
      {
        name: 'a session does not say that it may',
        as: 'user',
        method: 'GET',
        url: '/api/v0/session',
        expect: { status: 200 },
        never: ['"encounter","user"', '"user"]'],
      },
      {
        name: 'an administrator does',
        as: 'administrator',
        method: 'POST',
        url,
        body: somebody('c@example.org'),
        expect: { status: 200 },
      },
    ]);

    test('the accounts that there are stay', async () => {
      await play(world(), {
        name: 'read',
        method: 'GET',
        url: `${url}/${ACCOUNTS.user}`,
        expect: { status: 200 },
      });
    });
  });
}
