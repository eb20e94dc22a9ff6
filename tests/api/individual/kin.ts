import { authorizationOf, openToRoles } from '../../helpers/callers';
import { at, parsed, type Json } from '../../helpers/json';
import { responseOf } from '../../helpers/people';
import type { World } from '../../helpers/world';

/** Kin that no animal can have, whichever individual is changed. */
export function testKin(world: () => World): void {
  beforeAll(() => openToRoles(world().service));

  const make = (body: Json = {}): Promise<string> => world().create('individual', body);
  const rel = (individual: string, type: string) => ({ individual, type });
  const send = (method: string, path: string, body: Json) =>
    world().send({
      method,
      url: `/api/v0/individual${path}`,
      headers: authorizationOf('moderator'),
      body,
    });
  /** What a change is refused for; its status if it is not. */
  const refused = async (method: string, path: string, body: Json): Promise<unknown> => {
    const { status, text } = await send(method, path, body);
    if (status !== 400) return status;
    const invalid = at(parsed(text), 'response', 'invalid') as Json[];
    return invalid.map(({ path: where, key, args }) => [where, key, at(args, 'with')]);
  };
  const relate = (id: string, ...relationships: Json[]): Promise<unknown> =>
    refused('PUT', `/${id}`, { relationships });
  const conflict = (path: string, other: string): unknown => [path, 'API_RESPONSE_CONFLICT', other];

  test.each(['mother', 'father'])('there is one %s, written from either side', async (type) => {
    const sex = type === 'mother' ? 'female' : 'male';
    const [young, one, other] = [await make(), await make({ sex }), await make({ sex })];
    const both = [rel(one, type), rel(other, type)];
    const fault = [conflict('relationships.1.type', 'relationships.0.type')];
    expect(await relate(young, ...both)).toEqual(fault);
    expect(await refused('POST', '', { relationships: both })).toEqual(fault);
    expect(await relate(young, rel(one, type))).toBe(200);
    expect(await relate(young, rel(other, type), rel(one, type))).toEqual([
      conflict('relationships.0.type', 'relationships.1.type'),
    ]);
    expect(await relate(other, rel(young, 'offspring'))).toEqual([
      conflict('relationships.0.type', 'offspring'),
    ]);
    expect(await refused('POST', '', { sex, relationships: [rel(young, 'offspring')] })).toEqual([
      conflict('relationships.0.type', 'offspring'),
    ]);
    expect(await relate(young, rel(other, type))).toBe(200);
  });

  test('a mother is not male, a father not female, and a parent keeps its sex', async () => {
    const [young, male, female] = [
      await make(),
      await make({ sex: 'male' }),
      await make({ sex: 'female' }),
    ];
    expect(await relate(young, rel(male, 'mother'), rel(female, 'father'))).toEqual([
      conflict('relationships.0.type', 'sex'),
      conflict('relationships.1.type', 'sex'),
    ]);
    const unknown = await make();
    expect(await relate(young, rel(unknown, 'mother'), rel(male, 'father'))).toBe(200);
    for (const id of [unknown, male]) {
      const sex = id === male ? 'female' : 'male';
      expect(await refused('PUT', `/${id}`, { sex })).toEqual([conflict('sex', 'relationships')]);
      expect(await refused('PUT', `/${id}`, { sex: null })).toBe(200);
      expect(await refused('PUT', `/${id}`, { sex, relationships: [] })).toBe(200);
    }
  });

  test('nobody descends from itself', async () => {
    const [a, b, c] = [await make(), await make({ sex: 'female' }), await make()];
    expect(await relate(a, rel(b, 'mother'))).toBe(200);
    expect(await relate(b, rel(a, 'offspring'), rel(c, 'mother'))).toBe(200);
    expect(await relate(c, rel(b, 'offspring'), rel(a, 'father'))).toEqual([
      // Without a sex it could not add the offspring, but it has that already.
      conflict('relationships.1.type', 'offspring'),
    ]);
    expect(await refused('PUT', `/${a}`, { sex: 'male' })).toBe(200);
    expect(await relate(a, rel(b, 'mother'), rel(c, 'offspring'))).toEqual([
      conflict('relationships.1.type', 'mother'),
    ]);
    const body = { sex: 'male', relationships: [rel(a, 'mate'), rel(c, 'mother'), rel(c, 'mate')] };
    expect(await refused('POST', '', body)).toBe(200);
    // An edge that was the wrong way round is turned by one change.
    expect(await relate(a, rel(b, 'offspring'))).toBe(200);
  });

  test('nobody dies before being born', async () => {
    const wrong = { time_of_birth: '2024', time_of_death: '2001' };
    const fault = [conflict('time_of_death', 'time_of_birth')];
    expect(await refused('POST', '', wrong)).toEqual(fault);
    const id = await make({ time_of_birth: '2024' });
    expect(await refused('PUT', `/${id}`, { time_of_death: '2023-12' })).toEqual(fault);
    expect(await refused('PUT', `/${id}`, { time_of_death: '2024-01' })).toBe(200);
    expect(await refused('PUT', `/${id}`, { time_of_birth: '2024-02' })).toEqual(fault);
  });

  test('a merge makes none of it', async () => {
    const [mother, other, young, grown] = [
      await make({ sex: 'female' }),
      await make({ sex: 'female' }),
      await make(),
      await make(),
    ];
    await relate(young, rel(mother, 'mother'));
    await relate(grown, rel(other, 'mother'));
    const merge = (into: string, from: string, more: Json = {}) =>
      refused('POST', `/${into}/merge`, { from: [from], ...more });
    const fault = [conflict('relationships', 'from')];
    expect(await merge(young, grown)).toEqual(fault);
    // Whose grandmother it would be.
    const grandmother = await make({ sex: 'female' });
    await relate(mother, rel(young, 'offspring'), rel(grandmother, 'mother'));
    expect(await merge(grandmother, young)).toEqual(fault);
    const dry = await send('POST', `/${young}/merge`, { from: [grown], dry_run: true });
    expect(at(responseOf(dry), 'conflicts')).toEqual([
      { path: 'relationships', values: [rel(other, 'mother')] },
    ]);
    expect(await merge(mother, other)).toBe(200);
    expect(await merge(young, grown)).toBe(200);
  });

  test('two who write at once make no circle', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [a, b, c] = [await make({ sex: 'female' }), await make(), await make()];
      expect(await relate(c, rel(a, 'mother'))).toBe(200);
      const answers = await Promise.all([
        relate(a, rel(b, 'mother'), rel(c, 'offspring')),
        relate(b, rel(c, 'mother')),
      ]);
      const motherOf = async (id: string): Promise<string | undefined> => {
        const list = (await world().read('individual', id))['relationships'] as Json[];
        return list.find(({ type }) => type === 'mother')?.['individual'] as string | undefined;
      };
      const mothers = [await motherOf(a), await motherOf(b), await motherOf(c)];
      expect([answers, mothers.filter((id) => id !== undefined).length < 3]).toEqual([
        answers.map((answer) => (Array.isArray(answer) ? answer : 200)),
        true,
      ]);
    }
  });
}
