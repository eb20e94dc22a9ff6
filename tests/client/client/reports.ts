import { createReports, newClaim, upload, type Client, type Uploaded } from '@oms/client';
import { memoryStorage, photographFile, type ClientService } from '../../helpers/client/service';
import type { Cut } from '../../helpers/client/cutter';

export function testReports(service: () => ClientService): void {
  const photographOf = async (client: Client): Promise<Uploaded> =>
    upload(client, await photographFile(), { claim: newClaim() });
  const ownerOf = async (id: string): Promise<string | null | undefined> => {
    const admin = await service().administrator();
    const call = admin.http.GET('/api/v0/encounter/{id}', { params: { path: { id } } });
    return (await admin.answerTo(call)).response.owner;
  };
  /** How often an encounter is found by its remarks. */
  const countOf = async (id: string): Promise<number | undefined> => {
    const admin = await service().administrator();
    const query = { id: [id], limit: 0 };
    const call = admin.http.GET('/api/v0/search/encounter', { params: { query } });
    return (await admin.answerTo(call)).response.total;
  };

  test('a report is sent with its photographs, and read by its sender', async () => {
    const visitor = service().connect();
    const reports = createReports(visitor, memoryStorage());
    const photograph = await photographOf(visitor);
    const report = await reports.send({ time: '2026-03-09' }, [photograph]);
    expect(report.body).toBeNull();
    expect(reports.list()).toEqual([report]);
    expect(await reports.read(report)).toMatchObject({
      id: report.id,
      state: 'pending',
      assets: [photograph.id],
    });
  });

  const CUTS: readonly Cut[] = [
    { at: 'before' },
    { at: 'within request', bytes: 150 },
    { at: 'request done' },
    { at: 'within answer', bytes: 30 },
    { at: 'silent' },
  ];
  test.each(CUTS.map((cut) => [cut.at, cut] as const))(
    'one whose connection is cut (%s) arrives once, sent again by the same page or a later one',
    async (_, cut) => {
      const visitor = service().connect({ timeout: 700 });
      service().cutter.next(cut);
      const same = await createReports(visitor, memoryStorage()).send({ sex: 'male' });
      const store = memoryStorage();
      service().cutter.next(cut);
      await expect(
        createReports(visitor, store).send({ sex: 'male' }, [], { tries: 1 }),
      ).rejects.toMatchObject({ key: 'CLIENT_NO_ANSWER' });
      const later = createReports(service().connect(), store);
      const [kept] = later.list();
      expect(kept?.body).toEqual({ sex: 'male' });
      expect(await later.resume()).toEqual([{ id: kept?.id, failure: null }]);
      expect(later.list()).toMatchObject([{ id: kept?.id, body: null }]);
      expect([await countOf(same.id), await countOf(kept?.id ?? '')]).toEqual([1, 1]);
    },
  );

  test('one that is refused is told, and not kept', async () => {
    const reports = createReports(service().connect(), memoryStorage());
    await expect(reports.send({ latitude: 91, longitude: 0 })).rejects.toMatchObject({
      key: 'API_RESPONSE_MALFORMED',
    });
    expect(reports.list()).toEqual([]);
  });

  test('who signs up adopts what was sent and what was not', async () => {
    const { id, email, password } = await service().member();
    const client = service().connect();
    const reports = createReports(client, memoryStorage());
    const photograph = await photographOf(client);
    const sent = await reports.send({ sex: 'female' }, [photograph]);
    service().cutter.next({ at: 'request done' });
    await expect(reports.send({ sex: 'male' }, [], { tries: 1 })).rejects.toThrow();
    const other = await photographOf(client);
    service().cutter.next({ at: 'before' });
    await expect(reports.send({ sex: 'unknown' }, [other], { tries: 1 })).rejects.toThrow();
    const kept = reports.list().map((report) => report.id);
    expect(kept).toHaveLength(3);

    await client.logIn(email, password);
    service().cutter.next({ at: 'request done' });
    const adopted = await reports.adopt();
    expect(adopted).toEqual(kept.map((one) => ({ id: one, failure: null })));
    expect(reports.list()).toEqual([]);
    for (const one of kept) expect(await ownerOf(one)).toBe(id);
    for (const { id: asset } of [photograph, other]) {
      const call = client.http.GET('/api/v0/asset/{id}', { params: { path: { id: asset } } });
      expect((await client.answerTo(call)).response.owner).toBe(id);
    }
    expect(sent.id).toBe(kept[0]);
    const params = { path: { id: kept[2] ?? '' } };
    const late = await client.answerTo(client.http.GET('/api/v0/encounter/{id}', { params }));
    expect(late.response.assets).toEqual([other.id]);
  });

  test('one that did not arrive before the site closed is sent as its owner’s own', async () => {
    const { id, email, password } = await service().member();
    const client = service().connect();
    const reports = createReports(client, memoryStorage());
    service().cutter.next({ at: 'before' });
    await expect(reports.send({ sex: 'male' }, [], { tries: 1 })).rejects.toThrow();
    const [kept] = reports.list();
    await client.logIn(email, password);
    const admin = await service().administrator();
    const open = (isOpen: boolean): Promise<unknown> =>
      admin.answerTo(
        admin.http.PUT('/api/v0/site_settings', { body: { anonymous_encounters: isOpen } }),
      );
    await open(false);
    expect(await reports.adopt()).toEqual([{ id: kept?.id, failure: null }]);
    await open(true);
    expect(await ownerOf(kept?.id ?? '')).toBe(id);
  });

  test('what cannot be adopted any more is told and forgotten; without an answer it is kept', async () => {
    const { client } = await service().member();
    const reports = createReports(client, memoryStorage());
    const report = {
      id: crypto.randomUUID(),
      claim: newClaim(),
      madeAt: new Date().toISOString(),
      body: null,
    };
    reports.keep(report);
    service().cutter.next({ at: 'before' });
    expect(await reports.adopt({ tries: 1 })).toMatchObject([
      { id: report.id, failure: { key: 'CLIENT_NO_ANSWER' } },
    ]);
    expect(reports.list()).toHaveLength(1);
    expect(await reports.adopt()).toMatchObject([
      { id: report.id, failure: { key: 'API_RESPONSE_ENTITY_NOT_FOUND' } },
    ]);
    expect(reports.list()).toEqual([]);
  });
}
