import {
  createClient,
  faultsByPath,
  isFailure,
  isTransient,
  type Client,
  type Failure,
} from '@oms/client';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { ClientService, Member } from '../../helpers/client/service';
import type { Cut } from '../../helpers/client/cutter';

/** What a promise rejects with. */
const failed = async (promise: Promise<unknown>): Promise<Failure> => {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  if (!isFailure(error)) throw new Error(`no failure, but ${String(error)}`);
  return error;
};

export function testAnswers(service: () => ClientService): void {
  let ana: Member;
  beforeAll(async () => {
    ana = await service().member();
  });
  const make = async (body: object = {}): Promise<string> => {
    const call = ana.client.http.POST('/api/v0/encounter', { body });
    return (await ana.client.answerTo(call)).response.id;
  };

  test('a refusal is told apart by its key, which says what its arguments are', async () => {
    const id = await make();
    const { http, answerTo } = ana.client;
    const params = { path: { id }, header: { 'If-Match': '"7"' } };
    const error = await failed(
      answerTo(http.PUT('/api/v0/encounter/{id}', { params, body: { behavior: 'drinking' } })),
    );
    if (error.key !== 'API_RESPONSE_VERSION_MISMATCH') throw error;
    const version: number = error.args.version;
    expect([version, error.status, isTransient(error)]).toEqual([1, 412, false]);
    expect(error.transactionId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('the faults of a form are found by their paths', async () => {
    const body = { latitude: 91, longitude: 3, tags: ['x'.repeat(101)] };
    const { http, answerTo } = ana.client;
    const faults = faultsByPath(await failed(answerTo(http.POST('/api/v0/encounter', { body }))));
    expect([...faults.keys()].sort()).toEqual(['latitude', 'tags.0']);
    expect(faults.get('latitude')).toEqual([
      { path: 'latitude', key: 'API_RESPONSE_TOO_LARGE', args: { value: 91, max: 90 } },
    ]);
    expect(faultsByPath(new Error('another one')).size).toBe(0);
  });

  const CUTS: readonly Cut[] = [
    { at: 'before' },
    { at: 'within request', bytes: 100 },
    { at: 'request done' },
    { at: 'within answer', bytes: 20 },
    { at: 'within answer', bytes: 600 },
    { at: 'silent' },
  ];
  test.each(CUTS.map((cut) => [Object.values(cut).join(' '), cut] as const))(
    'a connection that is cut (%s) is no answer',
    async (_, cut) => {
      const client = service().connect({ timeout: 300, secret: ana.client.sessionSecret ?? '' });
      service().cutter.next(cut);
      const body = { id: crypto.randomUUID(), remarks: 'x'.repeat(400) };
      const error = await failed(client.answerTo(client.http.POST('/api/v0/encounter', { body })));
      expect([error.key, error.status, isTransient(error)]).toEqual([
        'CLIENT_NO_ANSWER',
        null,
        true,
      ]);
    },
  );

  test('one that is closed after the answer changes nothing', async () => {
    service().cutter.next({ at: 'answer done' });
    expect(await make()).toMatch(/^[0-9a-f-]{36}$/);
    expect(await make()).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('what is canceled is neither answered nor transient', async () => {
    const error = await failed(
      ana.client.answerTo(ana.client.http.GET('/api/v0/session', { signal: AbortSignal.abort() })),
    );
    expect([error.key, isTransient(error)]).toEqual(['CLIENT_CANCELED', false]);
  });

  test.each([
    ['a page', 'HTTP/1.1 200 OK', 'text/html', '<h1>Sign in to this network</h1>'],
    ['an error of a proxy', 'HTTP/1.1 502 Bad Gateway', 'text/html', '<h1>502</h1>'],
    ['JSON of somebody else', 'HTTP/1.1 200 OK', 'application/json', '{"ok":true}'],
    ['half a JSON', 'HTTP/1.1 200 OK', 'application/json', '{"success":tr'],
  ])('%s in place of an answer is none', async (_, status, type, text) => {
    const head = `${status}\r\nContent-Type: ${type}\r\nContent-Length: ${text.length}`;
    const portal = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', () => socket.end(`${head}\r\nConnection: close\r\n\r\n${text}`));
    }).listen(0, '127.0.0.1');
    await once(portal, 'listening');
    const { port } = portal.address() as AddressInfo;
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}` });
    const post = client.answerTo(client.http.POST('/api/v0/encounter', { body: {} }));
    expect((await failed(post)).key).toBe('CLIENT_NOT_UNDERSTOOD');
    expect((await failed(client.whoAmI())).key).toBe('CLIENT_NOT_UNDERSTOOD');
    portal.close();
  });

  describe('an object that is read again', () => {
    /** A client that notes the statuses that came over the wire. */
    const watched = ({ sessionSecret } = ana.client): [Client, number[]] => {
      const statuses: number[] = [];
      const client = service().connect({
        secret: sessionSecret ?? '',
        fetch: async (...given) => {
          const answer = await fetch(...given);
          statuses.push(answer.status);
          return answer;
        },
      });
      return [client, statuses];
    };

    test('comes from what was kept where it is still the same, and anew where it has changed', async () => {
      const id = await make({ sex: 'female' });
      const [client, statuses] = watched();
      const read = async (): Promise<unknown> => {
        const call = client.http.GET('/api/v0/encounter/{id}', { params: { path: { id } } });
        return (await client.answerTo(call)).response;
      };
      const first = await read();
      expect(await read()).toEqual(first);
      const params = { path: { id } };
      await client.answerTo(
        client.http.PUT('/api/v0/encounter/{id}', { params, body: { sex: 'male' } }),
      );
      expect(await read()).toMatchObject({ sex: 'male', version: 2 });
      expect(statuses).toEqual([200, 304, 200, 200]);
    });

    test('is asked for anew by another caller', async () => {
      const { email, password, client: own } = await service().member();
      const made = await own.answerTo(own.http.POST('/api/v0/encounter', { body: {} }));
      const [client, statuses] = watched(own);
      const params = { path: { id: made.response.id } };
      const read = (): Promise<unknown> =>
        client.answerTo(client.http.GET('/api/v0/encounter/{id}', { params }));
      await read();
      await client.logIn(email, password);
      await read();
      expect(statuses).toEqual([200, 200, 200]);
    });

    test('is not taken for what a claim shows', async () => {
      const [client, statuses] = watched();
      const read = (claim: string): Promise<unknown> =>
        client.answerTo(
          client.http.GET('/api/v0/site_settings', { headers: { 'X-Claim': claim } }),
        );
      await read('a');
      await read('b');
      await read('a');
      expect(statuses).toEqual([200, 200, 304]);
    });
  });
}
