import { createHash } from 'node:crypto';
import {
  endToken,
  endTokens,
  issueToken,
  LIFETIMES,
  redeemToken,
  sweepTokens,
  TOKEN_KINDS,
  type Token,
  type TokenKind,
} from '#app/plugins/accounts/server/tokens/tokens';
import { databaseOf } from '#app/plugins/objects/server';
import type { Work } from '#app/plugins/objects/server/database/work';
import type { TestService } from '../../helpers/service';

/** Tokens, on a shared service. */
export function testTokens(started: () => TestService): void {
  const ANA = 'a0000000-0000-4000-8000-000000000001';
  const BEN = 'a0000000-0000-4000-8000-000000000002';
  const NOW = Date.UTC(2026, 2, 9, 8);

  describe('a token', () => {
    let service: TestService;
    const run = <T>(work: () => Work<T>): Promise<T> => databaseOf(service.strapi).write(work);
    const issue = (kind: TokenKind, account = ANA): Promise<string> =>
      run(() => issueToken({ kind, account, email: 'ana@example.org' }, NOW));
    const redeem = (
      secret: string,
      kinds: readonly TokenKind[],
      now = NOW,
    ): Promise<Token | null> => run(() => redeemToken(secret, kinds, now));
    /** Of these accounts alone: mails that other tests have caused may make tokens at any time. */
    const rows = (): Promise<Record<string, unknown>[]> =>
      service.strapi.db
        .connection<Record<string, unknown>>('oms_tokens')
        .whereIn('account', [ANA, BEN])
        .select();

    beforeAll(() => {
      service = started();
    });
    beforeEach(async () => {
      await service.strapi.db.connection('oms_tokens').delete();
    });

    test('is kept as its hash alone', async () => {
      const secret = await issue('verify');
      expect(secret).toMatch(/^[\w-]{43}$/);
      expect(await issue('verify')).not.toBe(secret);
      expect((await rows()).map(({ hash }) => hash)).toContain(
        createHash('sha256').update(secret).digest('hex'),
      );
      expect(JSON.stringify(await rows())).not.toContain(secret);
    });

    test('works once', async () => {
      const secret = await issue('reset');
      expect(await redeem(secret, ['reset', 'invite'])).toEqual({
        kind: 'reset',
        account: ANA,
        email: 'ana@example.org',
      });
      expect(await redeem(secret, ['reset', 'invite'])).toBeNull();
      expect(await rows()).toEqual([]);
    });

    test('is given to one of twenty who come at the same time', async () => {
      const secret = await issue('invite');
      const given = await Promise.all(Array.from({ length: 20 }, () => redeem(secret, ['invite'])));
      expect(given.filter((token) => token !== null)).toHaveLength(1);
    });

    test('is given back when the transaction fails', async () => {
      const secret = await issue('reset');
      const failing = run(function* () {
        yield* redeemToken(secret, ['reset'], NOW);
        throw new Error('too common');
      });
      await expect(failing).rejects.toThrow('too common');
      expect(await redeem(secret, ['reset'])).not.toBeNull();
    });

    test('serves its own kind', async () => {
      const secret = await issue('verify');
      expect(await redeem(secret, ['reset', 'invite'])).toBeNull();
      expect(await redeem(secret, [])).toBeNull();
      expect(await redeem(secret, ['verify'])).not.toBeNull();
    });

    test.each(TOKEN_KINDS)('of the kind %s is valid for its lifetime', async (kind) => {
      const [late, early] = [await issue(kind), await issue(kind)];
      expect(await redeem(late, [kind], NOW + LIFETIMES[kind])).toBeNull();
      expect(await redeem(early, [kind], NOW + LIFETIMES[kind] - 1)).not.toBeNull();
    });

    test('of a reset is valid for an hour, the others for a week', () => {
      expect(LIFETIMES).toEqual({ verify: 604_800_000, reset: 3_600_000, invite: 604_800_000 });
    });

    test.each(['', 'x', '\u0000', "' or 1=1 --", '\ud800', 'a'.repeat(100_000)])(
      'is not made up (%#)',
      async (made) => {
        await issue('verify');
        expect(await redeem(made, TOKEN_KINDS)).toBeNull();
        expect(await rows()).toHaveLength(1);
      },
    );

    test('ends by account and kind, or alone', async () => {
      const secret = await issue('reset');
      const twin = await issue('reset');
      await issue('verify');
      await issue('reset', BEN);
      await run(() => endToken(secret));
      expect(await redeem(secret, ['reset'])).toBeNull();
      expect(await rows()).toHaveLength(3);
      await run(() => endTokens(ANA, ['reset', 'invite']));
      expect(await redeem(twin, ['reset'])).toBeNull();
      expect((await rows()).map(({ account, kind }) => [account, kind]).sort()).toEqual([
        [ANA, 'verify'],
        [BEN, 'reset'],
      ]);
      await run(() => endTokens(ANA));
      expect((await rows()).map(({ account }) => account)).toEqual([BEN]);
    });

    test('is swept when it has expired', async () => {
      await issue('reset');
      await issue('verify');
      expect(await run(() => sweepTokens(NOW + LIFETIMES.reset))).toBe(1);
      expect((await rows()).map(({ kind }) => kind)).toEqual(['verify']);
    });
  });
}
