import { isFailure } from '@oms/client';
import type { ClientService } from '../../helpers/client/service';

export function testSessions(service: () => ClientService): void {
  test('a program logs in by bearer, is known, and logs out', async () => {
    const { id, client } = await service().member();
    expect((await client.whoAmI())?.user.id).toBe(id);
    expect(client.sessionSecret).toMatch(/^[\w-]{43}$/);
    await client.logOut();
    expect([await client.whoAmI(), client.sessionSecret]).toEqual([null, null]);
  });

  test('a session that was kept goes on', async () => {
    const { id, client } = await service().member();
    const later = service().connect({ secret: client.sessionSecret ?? '' });
    expect((await later.whoAmI())?.user.id).toBe(id);
  });

  test('a wrong password is a refusal, and no session', async () => {
    const client = service().connect();
    await expect(client.logIn('nobody@example.org', 'a wrong guess')).rejects.toMatchObject({
      key: 'API_RESPONSE_LOGIN_FAILED',
      status: 401,
    });
    expect(client.sessionSecret).toBeNull();
  });

  test('a session that has ended is told once, and nothing goes out in nobody’s name until a login', async () => {
    let told = 0;
    const { email, password, client } = await service().member({
      onSessionEnded: () => (told += 1),
    });
    const other = service().connect({ secret: client.sessionSecret ?? '' });
    await other.logOut();
    const create = (): Promise<unknown> =>
      client.answerTo(client.http.POST('/api/v0/encounter', { body: { sex: 'male' } }));
    for (const call of [create, create, () => client.whoAmI()])
      await expect(call()).rejects.toMatchObject({ key: 'API_RESPONSE_SESSION_ENDED' });
    expect(told).toBe(1);
    await client.logIn(email, password);
    await expect(create()).resolves.toMatchObject({ success: true });
    expect(told).toBe(1);
  });

  test('an answer that comes after the next login tells nothing of it', async () => {
    let told = 0;
    const held: (() => void)[] = [];
    const { email, password, client } = await service().member({
      onSessionEnded: () => (told += 1),
      fetch: async (request, init) => {
        const answer = await fetch(request, init);
        if (answer.status === 401) await new Promise<void>((go) => held.push(go));
        return answer;
      },
    });
    await service()
      .connect({ secret: client.sessionSecret ?? '' })
      .logOut();
    const late = client.whoAmI().catch((error: unknown) => error);
    while (held.length === 0) await new Promise((go) => setTimeout(go, 5));
    await client.logIn(email, password);
    held[0]?.();
    expect([await late, told]).toMatchObject([{ key: 'API_RESPONSE_SESSION_ENDED' }, 0]);
    expect((await client.whoAmI())?.user.email).toBe(email);
  });

  test('a read of a visitor whose cookie is dead tells it by X-Session', async () => {
    let told = 0;
    const { client } = await service().member();
    const cookie = `oms_session=${client.sessionSecret}`;
    await client.logOut();
    // The cookie of a browser, which no program can set by `credentials`.
    const visitor = service().connect({
      session: 'cookie',
      onSessionEnded: () => (told += 1),
      fetch: (request, init) => {
        const headers = new Headers((request as Request).headers);
        headers.set('Cookie', cookie);
        return fetch(new Request(request, { headers }), init);
      },
    });
    const search = await visitor.answerTo(
      visitor.http.GET('/api/v0/search/taxonomy', { params: { query: { limit: 1 } } }),
    );
    expect([search.success, told]).toEqual([true, 1]);
  });

  test('a logout whose answer is lost leaves the session as it was', async () => {
    const { client } = await service().member();
    const secret = client.sessionSecret;
    service().cutter.next({ at: 'before' });
    const error: unknown = await client.logOut().catch((reason: unknown) => reason);
    expect(isFailure(error) && error.key).toBe('CLIENT_NO_ANSWER');
    expect(client.sessionSecret).toBe(secret);
    await client.logOut();
    expect(client.sessionSecret).toBeNull();
  });
}
