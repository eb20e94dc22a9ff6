import { registryOf } from '#app/plugins/objects/server';
import { idsOf } from '../../helpers/ids';
import { loggedDuring } from '../../helpers/log';
import { play, type Scenario } from '../../helpers/scenario';
import type { World } from '../../helpers/world';

const uuid = idsOf(5);

/** Errors that no code expects, on a shared service. */
export function testInternalErrors(world: () => World): void {
  const SEEN = uuid(1);
  const url = `/api/v0/encounter/${SEEN}`;
  const TRANSACTION = uuid(0x7a);
  const SECRET = 'a secret of the database';

  beforeAll(() => world().create('encounter', { id: SEEN }));

  interface LogLine {
    readonly transactionId?: string;
    readonly reason?: string;
  }

  /** What is logged as an error while an action runs; but for tasks that meet the same broken database beside it. */
  async function logged(action: () => Promise<void>): Promise<LogLine[]> {
    const spy = jest.spyOn(world().service.strapi.log, 'error');
    try {
      await action();
      return spy.mock.calls
        .filter(([first]) => !String(first as unknown).startsWith('job '))
        .map((call) => call.at(-1) as unknown as LogLine);
    } finally {
      spy.mockRestore();
    }
  }

  /** Puts an error in the place of all reading and writing. */
  async function withBrokenDatabase(error: unknown, action: () => Promise<void>): Promise<void> {
    const { database } = registryOf(world().service.strapi).model();
    const spies = (['read', 'write'] as const).map((name) =>
      jest.spyOn(database, name).mockImplementation(() => {
        throw error;
      }),
    );
    try {
      await action();
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  }

  const REQUESTS: readonly Omit<Scenario, 'name' | 'expect'>[] = [
    { method: 'GET', url },
    { method: 'GET', url, headers: { 'If-None-Match': '*' } },
    { method: 'POST', url: '/api/v0/encounter', body: {} },
    { method: 'PUT', url, body: { locality: 'here' } },
    { method: 'DELETE', url },
  ];

  describe('a handler that throws', () => {
    const broken = Object.assign(new Error(`insert failed: ${SECRET}`), { code: 'XX000' });

    test.each(REQUESTS)('answers $method $url with 500 and nothing else', async (request) => {
      const lines = await logged(() =>
        withBrokenDatabase(broken, async () => {
          await play(world(), {
            ...request,
            name: 'broken',
            headers: { ...request.headers, 'X-Transaction-Id': TRANSACTION },
            expect: {
              status: 500,
              key: 'INTERNAL_ERROR',
              args: {},
              headers: {
                'x-transaction-id': TRANSACTION,
                'cache-control': 'no-store',
                etag: null,
                'retry-after': null,
              },
            },
            never: [SECRET, 'insert', 'XX000', 'Error', '.js', '.ts'],
          });
        }),
      );
      expect(lines).toHaveLength(1);
      expect(lines[0]?.transactionId).toBe(TRANSACTION);
      expect(lines[0]?.reason).toMatch(/XX000\n\s+at /);
      // The text of a database's error holds values.
      expect(lines[0]?.reason).not.toContain(SECRET);
    });

    test.each([
      ['text', 'just a text'],
      ['nothing', undefined],
      ['null', null],
      ['an object', { status: 200, key: 'OK', message: SECRET }],
      [
        'an error with a status of its own',
        Object.assign(new Error(SECRET), { status: 418, expose: true }),
      ],
      [
        'an error that cannot be read',
        Object.defineProperty(new Error('x'), 'stack', { get: () => 5 }),
      ],
    ])('may throw %s', async (_, error) => {
      const lines = await logged(() =>
        withBrokenDatabase(error, async () => {
          await play(world(), {
            name: 'broken',
            method: 'GET',
            url,
            expect: { status: 500, key: 'INTERNAL_ERROR', args: {} },
            never: [SECRET],
          });
        }),
      );
      // What runs in the background may meet the same error.
      const own = lines.filter((line) => !JSON.stringify(line).includes('job '));
      expect(own).toHaveLength(1);
    });

    test('does no harm to the requests beside it and after it', async () => {
      const { database } = registryOf(world().service.strapi).model();
      const spy = jest.spyOn(database, 'read').mockImplementationOnce(() => {
        throw broken;
      });
      const answers = await Promise.all([1, 2, 3].map(() => world().send({ method: 'GET', url })));
      spy.mockRestore();
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 500]);
      await play(world(), { name: 'after', method: 'GET', url, expect: { status: 200 } });
    });
  });

  describe('what is logged', () => {
    test('is a line per request, without query, headers and body', async () => {
      const text = await loggedDuring(world().service.strapi, () =>
        world().send({
          method: 'PUT',
          url: `${url}?secret=parameter`,
          body: { locality: 'secret place' },
          headers: { 'X-Claim': 'secret-token', 'X-Transaction-Id': TRANSACTION },
        }),
      );
      expect(text).not.toContain('secret');
      expect(text.match(/\n/g)).toHaveLength(1);
      expect(JSON.parse(text)).toEqual({
        time: expect.stringMatching(/Z$/) as string,
        transactionId: TRANSACTION,
        level: 'info',
        message: 'request',
        method: 'PUT',
        path: url,
        status: 400,
        ms: expect.any(Number) as number,
      });
    });
  });
}
