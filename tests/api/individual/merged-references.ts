import type { Answer } from '../../helpers/http';
import { at, parsed, type Json } from '../../helpers/json';
import { useMembers } from '../../helpers/members';
import { responseOf } from '../../helpers/people';
import type { World } from '../../helpers/world';

/** References to individuals that were merged into others. */
export function testMergedReferences(world: () => World): void {
  const { as, newPerson } = useMembers(world);

  test('a merged individual is taken as its target where a body or a filter refers to it', async () => {
    const owner = await newPerson();
    const make = (): Promise<string> => world().create('individual', { owner: owner.id });
    const [into, from, other] = [await make(), await make(), await make()];
    await as('moderator', 'POST', `individual/${into}/merge`, { from: [from] });
    const told = async (answering: Promise<Answer>, ...paths: string[]): Promise<Json> => {
      const answer = await answering;
      const messages = paths.map((path) => ({
        key: 'API_RESPONSE_TAKEN_AS_MERGED',
        args: { path, into },
      }));
      const [first, ...further] = messages;
      expect([answer.status, at(parsed(answer.text), 'message')]).toEqual([
        200,
        further.length > 0 ? { ...first, further } : first,
      ]);
      return responseOf(answer);
    };
    const { id } = await told(
      as('moderator', 'POST', 'encounter', { individual: from.toUpperCase() }),
      'individual',
    );
    const encounter = `encounter/${String(id)}`;
    expect(responseOf(await as('moderator', 'GET', encounter))['individual']).toBe(into);
    await as('moderator', 'PUT', encounter, { individual: null });
    await told(as('moderator', 'PUT', encounter, { individual: from }), 'individual');
    for (const query of [`individual=${from}`, `individual=${from},${other}`]) {
      const found = await as('moderator', 'GET', `search/encounter?${query}`);
      expect(at(parsed(found.text), 'matches')).toEqual([id]);
    }
    const followed = { followed_individuals: [into, from, other] };
    await told(as(owner, 'PUT', `user/${owner.id}`, followed), 'followed_individuals.1');
    const self = responseOf(await as(owner, 'GET', `user/${owner.id}`));
    expect(self['followed_individuals']).toEqual([into, other]);
    const relationships = [
      { individual: from, type: 'mate' },
      { individual: other, type: 'sibling' },
    ];
    const { id: mate } = await told(
      as('moderator', 'POST', 'individual', { relationships }),
      'relationships.0.individual',
    );
    const found = await as('moderator', 'GET', `search/individual?relationships=${from}`);
    expect(at(parsed(found.text), 'matches')).toEqual([mate]);
    const operations = [{ op: 'create', type: 'encounter', body: { individual: from } }];
    const batch = responseOf(await as('moderator', 'POST', 'batch', { operations }));
    expect(batch['results']).toMatchObject([
      { status: 200, message: { key: 'API_RESPONSE_TAKEN_AS_MERGED' } },
    ]);
  });
}
