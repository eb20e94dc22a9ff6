import { each, historyOf, pages, type SearchQuery } from '@oms/client';
import { randomUUID } from 'node:crypto';
import type { ClientService, Member } from '../../helpers/client/service';

export function testSearches(service: () => ClientService): void {
  let ana: Member;
  const tag = randomUUID();
  let made: string[];
  beforeAll(async () => {
    ana = await service().member();
    const ids = Array.from({ length: 7 }, () => randomUUID());
    const operations = ids.map((id) => ({
      op: 'create' as const,
      type: 'encounter' as const,
      body: { id, tags: [tag] } as never,
    }));
    await ana.client.answerTo(ana.client.http.POST('/api/v0/batch', { body: { operations } }));
    made = ids.sort();
  });

  test('all that is found comes in turn, over all pages, each object once', async () => {
    const found: string[] = [];
    for await (const encounter of each(ana.client, 'encounter', { tags: [tag], limit: 3 }))
      found.push(encounter.id);
    expect(found.sort()).toEqual(made);
  });

  test('a page has IDs, objects, summaries and a total', async () => {
    const sizes: number[] = [];
    const search = pages(ana.client, 'encounter', {
      tags: [tag],
      limit: 5,
      fields: ['id', 'owner'],
      include: ['owner'],
    });
    for await (const page of search) {
      sizes.push(page.matches.length);
      expect([page.total, page.totalIsExact]).toEqual([7, true]);
      expect(page.objects.map(({ id }) => id)).toEqual(page.matches);
      expect(Object.keys(page.included.user ?? {})).toEqual([ana.id]);
    }
    expect(sizes).toEqual([5, 2]);
  });

  test('a search leaves values out and ends at bounds, by the names of filters', async () => {
    const [first = '', ...others] = made;
    const query: SearchQuery<'encounter'> = {
      tags: [tag],
      not: { id_not: first },
      range: { created_at_min: '2026', version_max: 1 },
    };
    const found: string[] = [];
    for await (const { id } of each(ana.client, 'encounter', query)) found.push(id);
    expect(found.sort()).toEqual(others);
    type Known = keyof NonNullable<SearchQuery<'encounter'>['not']>;
    const isKnown: 'colour_not' extends Known ? true : false = false;
    expect(isKnown).toBe(false);
  });

  test('a page whose answer is lost is asked for again, without a gap', async () => {
    const found: string[] = [];
    for await (const page of pages(ana.client, 'encounter', { tags: [tag], limit: 3 })) {
      found.push(...page.matches);
      service().cutter.next({ at: 'request done' }, { at: 'within answer', bytes: 300 });
    }
    expect(found.sort()).toEqual(made);
  });

  test('whoever has seen enough asks for no further page', async () => {
    const urls: string[] = [];
    const client = service().connect({
      secret: ana.client.sessionSecret ?? '',
      fetch: (request, init) => {
        urls.push((request as Request).url);
        return fetch(request, init);
      },
    });
    for await (const { id } of each(client, 'encounter', { tags: [tag], limit: 2 })) {
      expect(made).toContain(id);
      break;
    }
    expect(urls).toHaveLength(1);
  });

  test('a history is told from the newest entry on', async () => {
    const [id = ''] = made;
    const params = { path: { id } };
    const change = { params, body: { behavior: 'drinking' } };
    await ana.client.answerTo(ana.client.http.PUT('/api/v0/encounter/{id}', change));
    const actions: string[] = [];
    for await (const entry of historyOf(ana.client, 'encounter', id)) actions.push(entry.action);
    expect(actions).toEqual(['update', 'create']);
  });
}
