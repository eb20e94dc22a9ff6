import { randomUUID } from 'node:crypto';
import { authorizationOf } from '../../helpers/callers';
import type { Answer } from '../../helpers/http';
import { keyOf, responseOf } from '../../helpers/people';
import { play } from '../../helpers/scenario';
import { until } from '../../helpers/until';
import { filesOf, photograph, uploadRequest, type Upload } from '../../helpers/upload';
import type { World } from '../../helpers/world';

/** What there is once of each asset, and what decides between two uploads at once: the database. */
export function testUnique(world: () => World): void {
  const upload = (given: Upload, headers = authorizationOf('user')): Promise<Answer> =>
    world().send(uploadRequest(given, headers));

  const files = (): string[] => filesOf(world().service);

  describe('the same bytes', () => {
    test('from the same owner are one asset, also when two uploads race', async () => {
      const [bytes, kept] = [await photograph(), files().length];
      const answers = await Promise.all([1, 2, 3, 4].map(() => upload({ bytes })));
      const made = answers.filter(({ status }) => status === 200);
      expect(made).toHaveLength(1);
      const id = made[0] && responseOf(made[0])['id'];
      for (const answer of answers.filter(({ status }) => status !== 200))
        expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
          400,
          {
            message: { key: 'API_RESPONSE_ENTITY_EXISTS', args: { path: 'file', id } },
            response: { invalid: [{ path: 'file', key: 'API_RESPONSE_TAKEN' }] },
          },
        ]);
      await until('no file is left over', () => files().length === kept + 4);
    });

    test('from another owner are another asset', async () => {
      const bytes = await photograph();
      const [mine, theirs] = [
        await upload({ bytes }),
        await upload({ bytes }, authorizationOf('moderator')),
      ];
      expect([mine.status, theirs.status]).toEqual([200, 200]);
    });
  });

  describe('an ID that is given', () => {
    test('is used once', async () => {
      const id = randomUUID();
      const first = await upload({ bytes: await photograph(), fields: { id } });
      expect(responseOf(first)['id']).toBe(id);
      const kept = files();
      const again = await upload({ bytes: await photograph(), fields: { id } });
      expect([again.status, keyOf(again)]).toEqual([400, 'API_RESPONSE_ENTITY_EXISTS']);
      expect(files()).toEqual(kept);
    });

    test('is a UUID, in either case', async () => {
      const kept = files();
      await play(world(), {
        name: 'no UUID',
        ...uploadRequest(
          { bytes: await photograph(), fields: { id: 'zebra' } },
          authorizationOf('user'),
        ),
        expect: {
          status: 400,
          key: 'MALFORMED',
          invalid: [['id', 'FORMAT', { expected: 'uuid' }]],
        },
      });
      expect(files()).toEqual(kept);
      const id = randomUUID();
      const fields = { id: id.toUpperCase() };
      expect(responseOf(await upload({ bytes: await photograph(), fields }))['id']).toBe(id);
    });
  });
}
