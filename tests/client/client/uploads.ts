import { newClaim, newId, upload } from '@oms/client';
import type { ClientService, Member } from '../../helpers/client/service';
import { photographFile } from '../../helpers/client/service';
import type { Cut } from '../../helpers/client/cutter';

export function testUploads(service: () => ClientService): void {
  let ana: Member;
  beforeAll(async () => {
    ana = await service().member();
  });
  const read = async (id: string): Promise<object> => {
    const call = ana.client.http.GET('/api/v0/asset/{id}', { params: { path: { id } } });
    return (await ana.client.answerTo(call)).response;
  };

  test('a photograph is uploaded with its fields, and says how far it is', async () => {
    const file = await photographFile(1200, 900);
    const seen: number[] = [];
    const totals = new Set<number>();
    const uploaded = await upload(ana.client, file, {
      fields: { alt_text: { en: 'A zebra' }, license: 'CC-BY-4.0' },
      onProgress({ loaded, total }) {
        seen.push(loaded);
        totals.add(total);
      },
    });
    expect(uploaded).toEqual({
      id: uploaded.id,
      path: `/api/v0/asset/${uploaded.id}/file`,
      claim: null,
      isNew: true,
    });
    expect(await read(uploaded.id)).toMatchObject({
      filename: 'photo.jpg',
      alt_text: { en: 'A zebra' },
      license: 'CC-BY-4.0',
      size: file.size,
    });
    expect([...totals]).toHaveLength(1);
    expect(seen.at(-1)).toBe([...totals][0]);
    expect(seen.at(-1)).toBeGreaterThan(file.size);
  });

  const CUTS: readonly Cut[] = [
    { at: 'before' },
    { at: 'within request', bytes: 700 },
    { at: 'request done' },
    { at: 'within answer', bytes: 50 },
  ];
  test.each(CUTS.map((cut) => [Object.values(cut).join(' '), cut] as const))(
    'an upload that is cut (%s) is sent again, and makes one asset',
    async (_, cut) => {
      const id = newId();
      service().cutter.next(cut);
      const uploaded = await upload(ana.client, await photographFile(), { id });
      const wasDone = cut.at === 'request done' || cut.at === 'within answer';
      expect(uploaded).toMatchObject({ id, isNew: !wasDone });
      expect(await read(id)).toMatchObject({ id });
    },
  );

  test('the same bytes of the same owner are the asset that is there', async () => {
    const file = await photographFile();
    const { id } = await upload(ana.client, file);
    const again = await upload(ana.client, file);
    expect(again).toMatchObject({ id, isNew: false });
  });

  test('what is no photograph is refused, and not sent again', async () => {
    const before = service().cutter.cuts;
    await expect(upload(ana.client, new Blob(['no image']))).rejects.toMatchObject({
      key: 'API_RESPONSE_MALFORMED',
      faults: [{ path: 'file', key: 'API_RESPONSE_FORMAT', args: { expected: 'image' } }],
    });
    expect(service().cutter.cuts).toBe(before);
  });

  test('it is canceled on the way', async () => {
    const ending = new AbortController();
    const id = newId();
    const sending = upload(ana.client, await photographFile(2000, 2000), {
      id,
      signal: ending.signal,
      onProgress: () => ending.abort(),
    });
    await expect(sending).rejects.toMatchObject({ key: 'CLIENT_CANCELED' });
    await expect(read(id)).rejects.toMatchObject({ key: 'API_RESPONSE_ENTITY_NOT_FOUND' });
  });

  test('without an account it has a claim, and a lost answer makes no second one', async () => {
    const visitor = service().connect();
    const [id, claim] = [newId(), newClaim()];
    service().cutter.next({ at: 'request done' });
    const uploaded = await upload(visitor, await photographFile(), { id, claim });
    expect(uploaded).toMatchObject({ id, claim, isNew: false });
    const params = { path: { id } };
    const headers = { 'X-Claim': claim };
    const call = visitor.http.GET('/api/v0/asset/{id}', { params, headers });
    expect((await visitor.answerTo(call)).response).toMatchObject({ id });
  });
}
