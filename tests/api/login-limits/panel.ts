import type * as Timers from 'node:timers/promises';
import { changeAccount, newAccount } from '../../helpers/accounts';
import {
  askPanel,
  makeOperator,
  notice,
  operator,
  REFUSED,
  signInToPanel,
  told,
} from '../../helpers/panel';
import { from } from '../../helpers/networks';
import type { TestService } from '../../helpers/service';
import { useSettings, type World } from '../../helpers/world';

/** The limits of logins where somebody signs in to the panel. */
export function testPanelLimits(world: () => World): void {
  let service: TestService;
  useSettings(world, { require_verified_email: true });
  beforeAll(async () => {
    ({ service } = world());
    await makeOperator(service);
  });

  // The module itself, as the service has it: what an import gives here is a copy.
  const timers = jest.requireActual<typeof Timers>('node:timers/promises');

  afterEach(() => jest.restoreAllMocks());

  test('an address that has to be verified first is reported to callers with the password', async () => {
    const { id, ...account } = await newAccount(service, 'moderator');
    expect((await signInToPanel(service, account)).status).toBe(200);
    const email = 'new@example.org';
    await changeAccount(service, id, { email });
    const answer = await signInToPanel(service, { ...account, email });
    expect(answer.status).toBe(400);
    expect(notice(answer)).toMatch(/^Confirm your e-mail address first/);
    const wrong = { email, password: 'not the password' };
    expect(told(await signInToPanel(service, wrong))).toEqual(REFUSED);
  });

  describe('failures are counted', () => {
    test.each(['moderator', 'operator', 'nobody'])(
      'of %s from one network, together with those of the API',
      async (who) => {
        const account =
          who === 'moderator'
            ? await newAccount(service, 'moderator')
            : who === 'operator'
              ? operator
              : { email: 'nobody@example.org', password: 'none' };
        const headers = from();
        const wrong = { email: account.email, password: 'not the password' };
        for (let tries = 0; tries < 10; tries += 1)
          expect((await signInToPanel(service, wrong, headers)).status).toBe(400);
        const answer = await signInToPanel(service, account, headers);
        expect(answer.status).toBe(429);
        expect(notice(answer)).toBe('Too many attempts. Try again later.');
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
        const login = await askPanel(
          service,
          undefined,
          'POST',
          '/api/v0/login',
          { username: account.email, password: account.password },
          headers,
        );
        expect(login.status).toBe(429);
        if (who === 'nobody') return;
        expect((await signInToPanel(service, account, from())).status).toBe(200);
      },
    );

    test('and resets them after a successful sign-in', async () => {
      // That the answers for a name grow slower is tested elsewhere, and takes its time.
      jest.spyOn(timers, 'setTimeout').mockResolvedValue(undefined);
      const account = await newAccount(service, 'moderator');
      for (const credentials of [account, operator]) {
        const headers = from();
        for (let tries = 0; tries < 14; tries += 1) {
          const password = tries % 7 === 6 ? credentials.password : 'not the password';
          const { status } = await signInToPanel(service, { ...credentials, password }, headers);
          expect([tries, status]).toEqual([tries, tries % 7 === 6 ? 200 : 400]);
        }
      }
    });

    test('and those who come in are not counted, however many come from one network', async () => {
      const account = await newAccount(service, 'moderator');
      const headers = from();
      for (let times = 0; times < 55; times += 1)
        expect((await signInToPanel(service, account, headers)).status).toBe(200);
    });
  });
}
