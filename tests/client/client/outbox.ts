import { createReports, each, upload, type Client, type Schemas } from '@oms/client';
import { createOutbox, memoryStore, type Outbox, type OutboxStore } from '@oms/client/outbox';
import {
  memoryStorage,
  photographFile,
  type ClientService,
  type Member,
} from '../../helpers/client/service';
import type { Cut } from '../../helpers/client/cutter';

/** What its owner sees. */
type Read = Schemas['Encounter'] & { readonly assets: string[] };

export function testOutbox(service: () => ClientService): void {
  let ana: Member;
  let outbox: Outbox;
  let store: OutboxStore;
  beforeEach(async () => {
    ana = await service().member();
    store = memoryStore();
    outbox = createOutbox(ana.client, { account: ana.id, store });
  });
  const photograph = async (): Promise<{ file: File }> => ({ file: await photographFile() });
  const read = async (id: string, client = ana.client): Promise<Read> => {
    const call = client.http.GET('/api/v0/encounter/{id}', { params: { path: { id } } });
    return (await client.answerTo(call)).response as Read;
  };
  const put = async (id: string, body: Schemas['EncounterUpdate']): Promise<void> => {
    const params = { path: { id } };
    await ana.client.answerTo(ana.client.http.PUT('/api/v0/encounter/{id}', { params, body }));
  };
  const make = async (body: Schemas['EncounterCreate']): Promise<Read> => {
    const call = ana.client.http.POST('/api/v0/encounter', { body });
    return read((await ana.client.answerTo(call)).response.id);
  };
  const sent = async (): Promise<void> => {
    expect(await outbox.send()).toMatchObject({ left: [], stoppedBy: null });
    expect(await store.all()).toEqual([]);
  };
  const ownAssets = async (): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { id } of each(ana.client, 'asset', { owner: [ana.id] })) ids.push(id);
    return ids.sort();
  };

  test('what is made without a network arrives in its order, with its photographs', async () => {
    const one = await outbox.create('encounter', { sex: 'female' }, [
      await photograph(),
      await photograph(),
    ]);
    const individual = await outbox.create('individual', { encounters: [one], sex: 'female' });
    await outbox.update('encounter', { id: one, version: 1 }, { behavior: 'drinking' });
    expect((await outbox.items()).map(({ op, type }) => `${op} ${type}`)).toEqual([
      'create encounter',
      'create individual',
      'update encounter',
    ]);
    await sent();
    const found = await read(one);
    expect(found).toMatchObject({ individual, behavior: 'drinking', owner: ana.id });
    expect([...found.assets].sort()).toEqual(await ownAssets());
  });

  const CUTS: readonly Cut[] = [
    { at: 'before' },
    { at: 'within request', bytes: 600 },
    { at: 'request done' },
    { at: 'within answer', bytes: 100 },
  ];
  test.each(CUTS.map((cut) => [cut.at, cut] as const))(
    'each of its requests may be cut (%s): all arrives, nothing twice, and no conflict is seen',
    async (_, cut) => {
      const seen = await make({ sex: 'male' });
      const id = await outbox.create('encounter', {}, [await photograph()]);
      await outbox.update('encounter', seen, { behavior: ' drinking ', tags: ['Dawn'] });
      let requests = 0;
      // The first request asks who is logged in.
      service().cutter.plan = () => ((requests += 1) % 2 === 0 ? cut : null);
      await sent();
      expect(service().cutter.cuts).toBeGreaterThan(2);
      service().cutter.calm();
      expect((await read(id)).assets).toEqual(await ownAssets());
      expect(await read(seen.id)).toMatchObject({
        behavior: 'drinking',
        tags: ['dawn'],
        version: 2,
      });
    },
  );

  test('without a network nothing is lost, and it says why it stopped', async () => {
    const id = await outbox.create('encounter', {});
    service().cutter.plan = () => ({ at: 'before' });
    const { sent: none, left, stoppedBy } = await outbox.send();
    expect([none, left.length, stoppedBy]).toMatchObject([[], 1, { key: 'CLIENT_NO_ANSWER' }]);
    service().cutter.calm();
    // Another page, or the same after a restart.
    outbox = createOutbox(ana.client, { account: ana.id, store });
    await sent();
    expect(await read(id)).toMatchObject({ id });
  });

  test('a photograph that was swept meanwhile goes up again, under a new ID', async () => {
    const id = await outbox.create('encounter', {}, [await photograph()]);
    // The upload passes, the report does not, as if the network had gone for a week.
    let requests = 0;
    service().cutter.plan = () => ((requests += 1) > 2 ? { at: 'before' } : null);
    expect((await outbox.send()).stoppedBy).toMatchObject({ key: 'CLIENT_NO_ANSWER' });
    service().cutter.calm();
    const [swept = ''] = await ownAssets();
    const params = { path: { id: swept } };
    await ana.client.answerTo(ana.client.http.DELETE('/api/v0/asset/{id}', { params }));
    await sent();
    const { assets } = await read(id);
    expect(assets).toEqual(await ownAssets());
    expect(assets).not.toContain(swept);
  });

  test('a photograph that its owner has uploaded before is that one, in later changes too', async () => {
    const file = await photographFile();
    const { id: asset } = await upload(ana.client, file);
    const id = await outbox.create('encounter', {}, [{ file }]);
    const [created] = await outbox.items();
    const shown = created?.op === 'create' ? (created.body['assets'] as string[]) : [];
    await outbox.update('encounter', { id, version: 1, assets: shown }, { sex: 'male' }, [
      await photograph(),
    ]);
    await sent();
    const { assets } = await read(id);
    expect([assets[0], assets.length]).toEqual([asset, 2]);
  });

  test('changes of one object are one', async () => {
    const seen = await make({ sex: 'male', tags: ['a'] });
    await outbox.update('encounter', seen, { sex: 'female', behavior: 'eating' });
    await outbox.update('encounter', seen, { behavior: 'drinking' }, [await photograph()]);
    expect(await outbox.items()).toMatchObject([
      {
        changes: { sex: 'female', behavior: 'drinking' },
        base: { version: 1, values: { sex: 'male', behavior: null, assets: [] } },
      },
    ]);
    await sent();
    expect(await read(seen.id)).toMatchObject({ sex: 'female', behavior: 'drinking', version: 2 });
  });

  test('what is added while an update is sent is sent too', async () => {
    const seen = await make({});
    const client = service().connect({
      secret: ana.client.sessionSecret ?? '',
      fetch: async (request, init) => {
        if ((request as Request).method === 'PUT' && additions.length > 0)
          await additions.shift()?.();
        return fetch(request, init);
      },
    });
    outbox = createOutbox(client, { account: ana.id, store });
    const additions = [
      () => outbox.update('encounter', seen, { behavior: 'drinking' }),
      () => outbox.update('encounter', seen, { sex: 'male' }),
    ];
    await outbox.update('encounter', seen, { sex: 'female' });
    await sent();
    expect(await read(seen.id)).toMatchObject({ sex: 'male', behavior: 'drinking' });
  });

  test('what was sent without an answer, and is changed once more, is no conflict with itself', async () => {
    const seen = await make({ sex: 'male', behavior: 'eating' });
    await outbox.update('encounter', seen, { behavior: 'drinking' });
    const lost = { at: 'request done' } as const;
    let requests = 0;
    service().cutter.plan = () => ((requests += 1) === 1 ? null : lost);
    expect((await outbox.send()).stoppedBy).toMatchObject({ key: 'CLIENT_NO_ANSWER' });
    service().cutter.calm();
    await outbox.update('encounter', seen, { behavior: 'sleeping' });
    await sent();
    expect(await read(seen.id)).toMatchObject({ behavior: 'sleeping', version: 3 });
  });

  test('without an account there are reports alone', async () => {
    const queue = createOutbox(service().connect(), { account: null, store });
    await expect(queue.create('individual', {})).rejects.toThrow(TypeError);
    const seen = { id: crypto.randomUUID(), version: 1 };
    await expect(queue.update('encounter', seen, {})).rejects.toThrow(TypeError);
    await expect(outbox.update('encounter', { id: seen.id }, {})).rejects.toThrow(TypeError);
    expect(await store.all()).toEqual([]);
  });

  describe('where somebody else has changed the object', () => {
    test('fields that are equal, or that nobody else has touched, are no conflict', async () => {
      const seen = await make({ sex: 'male', behavior: 'eating', tags: ['a'] });
      await put(seen.id, { sex: 'female', remarks: 'seen again' });
      await outbox.update('encounter', seen, { sex: 'female', behavior: 'drinking' });
      await sent();
      expect(await read(seen.id)).toMatchObject({
        sex: 'female',
        behavior: 'drinking',
        remarks: 'seen again',
      });
    });

    test('the others are asked for, field by field', async () => {
      const seen = await make({ sex: 'male', behavior: 'eating' });
      await put(seen.id, { sex: 'female', behavior: 'sleeping' });
      const asked: unknown[] = [];
      outbox = createOutbox(ana.client, {
        account: ana.id,
        store,
        onConflict({ fields }) {
          asked.push(...fields);
          return { behavior: 'drinking' };
        },
      });
      const changes = { sex: 'unknown', behavior: 'drinking', remarks: 'mine' } as const;
      await outbox.update('encounter', seen, changes);
      await sent();
      expect(asked).toEqual([
        { field: 'sex', base: 'male', mine: 'unknown', theirs: 'female' },
        { field: 'behavior', base: 'eating', mine: 'drinking', theirs: 'sleeping' },
      ]);
      expect(await read(seen.id)).toMatchObject({
        sex: 'female',
        behavior: 'drinking',
        remarks: 'mine',
      });
    });

    test('a conflict waits until it is settled, and stops nothing else', async () => {
      const seen = await make({ sex: 'male' });
      await put(seen.id, { sex: 'female' });
      await outbox.update('encounter', seen, { sex: 'unknown' });
      const other = await outbox.create('encounter', {});
      const { left } = await outbox.send();
      expect(left).toMatchObject([{ conflict: { fields: [{ theirs: 'female' }] } }]);
      expect(await read(other)).toMatchObject({ id: other });
      const [item] = left;
      if (item?.op !== 'update' || item.conflict === null) throw new Error('no conflict');
      await outbox.resolve(item.conflict, { sex: 'unknown' });
      await sent();
      expect(await read(seen.id)).toMatchObject({ sex: 'unknown', version: 3 });
    });
  });

  test('what is refused stops only what depends on it, and goes on when it is corrected', async () => {
    const wrong = await outbox.create('encounter', { latitude: 91, longitude: 0 });
    const dependent = await outbox.create('individual', { encounters: [wrong] });
    await outbox.update('encounter', { id: wrong, version: 1 }, { sex: 'male' });
    const bad = await outbox.create('encounter', {}, [{ file: new Blob(['no image']) }]);
    const fine = await outbox.create('encounter', {});
    const { sent: done, left } = await outbox.send();
    expect(done).toEqual([`create:${fine}`]);
    expect(left.map(({ refusal }) => refusal?.faults[0]?.path ?? null)).toEqual([
      'latitude',
      null,
      null,
      'file',
    ]);
    await outbox.discard(`create:${bad}`);
    await outbox.retry(`create:${wrong}`, { latitude: 9 });
    await sent();
    expect(await read(wrong)).toMatchObject({ latitude: 9, individual: dependent, sex: 'male' });
  });

  test('another account sends nothing of it', async () => {
    const ben = await service().member();
    await outbox.create('encounter', {});
    const foreign = createOutbox(ben.client, { account: ana.id, store });
    expect(await foreign.send()).toMatchObject({ sent: [], stoppedBy: 'another account' });
    await ana.client.logOut();
    expect(await outbox.send()).toMatchObject({ sent: [], stoppedBy: 'another account' });
    expect(await outbox.items()).toHaveLength(1);
  });

  test('a session that has ended stops it, until the next login', async () => {
    const id = await outbox.create('encounter', {});
    await service()
      .connect({ secret: ana.client.sessionSecret ?? '' })
      .logOut();
    expect((await outbox.send()).stoppedBy).toMatchObject({ key: 'API_RESPONSE_SESSION_ENDED' });
    await ana.client.logIn(ana.email, ana.password);
    await sent();
    expect(await read(id)).toMatchObject({ id });
  });

  test('a logout sends or erases what is left, or does not happen', async () => {
    const id = await outbox.create('encounter', {});
    expect(await outbox.logOut(() => Promise.resolve('stay'))).toBe(false);
    service().cutter.next({ at: 'before' }, { at: 'before' }, { at: 'before' });
    expect(await outbox.logOut(() => Promise.resolve('send'))).toBe(false);
    expect(await outbox.logOut(() => Promise.resolve('send'))).toBe(true);
    await ana.client.logIn(ana.email, ana.password);
    expect(await read(id)).toMatchObject({ id });
    const erased = await outbox.create('encounter', {});
    expect(await outbox.logOut(() => Promise.resolve('erase'))).toBe(true);
    expect([await store.all(), ana.client.sessionSecret]).toEqual([[], null]);
    await ana.client.logIn(ana.email, ana.password);
    await expect(read(erased)).rejects.toMatchObject({ key: 'API_RESPONSE_ENTITY_NOT_FOUND' });
    expect(await outbox.logOut(() => Promise.reject(new Error('nothing to ask')))).toBe(true);
  });

  test('reports without an account go with their photographs, and are adopted later', async () => {
    const visitor: Client = service().connect();
    const reports = createReports(visitor, memoryStorage());
    const queue = createOutbox(visitor, { account: null, store, reports });
    const id = await queue.create('encounter', { sex: 'male' }, [await photograph()]);
    let requests = 0;
    service().cutter.plan = () => ((requests += 1) % 2 === 0 ? { at: 'request done' } : null);
    expect(await queue.send()).toMatchObject({ left: [], stoppedBy: null });
    service().cutter.calm();
    expect(reports.list()).toMatchObject([{ id, body: null }]);
    await visitor.logIn(ana.email, ana.password);
    expect(await reports.adopt()).toEqual([{ id, failure: null }]);
    expect(await read(id, visitor)).toMatchObject({ owner: ana.id, assets: await ownAssets() });
  });
}
