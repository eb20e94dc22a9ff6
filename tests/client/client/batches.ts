import { batch, each, type Operation } from '@oms/client';
import { randomUUID } from 'node:crypto';
import type { ClientService, Member } from '../../helpers/client/service';
import type { Cut } from '../../helpers/client/cutter';

export function testBatches(service: () => ClientService): void {
  let ana: Member;
  beforeAll(async () => {
    ana = await service().member();
  });
  const creates = (tag: string, count = 3): Operation[] =>
    Array.from({ length: count }, () => ({
      op: 'create',
      type: 'encounter',
      body: { tags: [tag] },
    }));
  const stored = async (tag: string): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { id } of each(ana.client, 'encounter', { tags: [tag] })) ids.push(id);
    return ids.sort();
  };

  test.each([true, false])('creates what it is given (atomic: %s)', async (atomic) => {
    const tag = randomUUID();
    const results = await batch(ana.client, creates(tag), { atomic });
    expect(results.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await stored(tag)).toEqual(results.map(({ response }) => response.id).sort());
  });

  test('keeps nothing of a try', async () => {
    const tag = randomUUID();
    await batch(ana.client, creates(tag), { dryRun: true });
    expect(await stored(tag)).toEqual([]);
  });

  const CUTS: readonly Cut[] = [
    { at: 'before' },
    { at: 'within request', bytes: 300 },
    { at: 'request done' },
    { at: 'within answer', bytes: 200 },
  ];
  test.each(CUTS.flatMap((cut) => [true, false].map((atomic) => [cut.at, atomic, cut] as const)))(
    'cut (%s, atomic: %s), it is sent again and done once',
    async (_, atomic, cut) => {
      const tag = randomUUID();
      const [target = ''] = await createdIds(ana, 1);
      const operations: Operation[] = [
        ...creates(tag),
        { op: 'update', type: 'encounter', id: target, body: { behavior: tag } },
      ];
      service().cutter.next(cut);
      const results = await batch(ana.client, operations, { atomic });
      expect(results.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(await stored(tag)).toHaveLength(3);
    },
  );

  test('a refusal tells the results, and one that follows a lost answer is none of an earlier try', async () => {
    const tag = randomUUID();
    const wrong: Operation = { op: 'create', type: 'encounter', body: { latitude: 95 } };
    service().cutter.next({ at: 'request done' });
    await expect(batch(ana.client, [...creates(tag), wrong])).rejects.toMatchObject({
      key: 'API_RESPONSE_BATCH_FAILED',
      args: { failed: 1, count: 4 },
    });
    expect(await stored(tag)).toEqual([]);
  });

  test('one with a condition is sent once', async () => {
    const [id = ''] = await createdIds(ana, 1);
    const update: Operation = {
      op: 'update',
      type: 'encounter',
      id,
      if_match: '"1"',
      body: { behavior: 'drinking' },
    };
    service().cutter.next({ at: 'request done' });
    await expect(batch(ana.client, [update])).rejects.toMatchObject({ key: 'CLIENT_NO_ANSWER' });
  });
}

async function createdIds({ client }: Member, count: number): Promise<string[]> {
  const operations: Operation[] = Array.from({ length: count }, () => ({
    op: 'create',
    type: 'encounter',
    body: {},
  }));
  return (await batch(client, operations)).map(({ response }) => response.id ?? '');
}
