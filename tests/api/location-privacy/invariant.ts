import fc from 'fast-check';
import { authorizationOf } from '../../helpers/callers';
import { isLong, SEED } from '../../helpers/counterexamples';
import { at, parsed, type Json } from '../../helpers/json';
import { bearer, login, makePerson } from '../../helpers/people';
import type { World } from '../../helpers/world';
import { callsOf } from './levels';

/** Acts of one run, and runs: the long form has more of both. */
const SIZE = isLong ? { acts: 60, runs: 20 } : { acts: 25, runs: 3 };

/**
 * The invariant of location privacy (contract, section 6): no act of somebody who may not update an encounter opens it, or
 * changes what a stranger is told of it while it is not open. Random acts of a meddler, and what strangers are told of an
 * observer's records before and after each of them.
 */
export function testInvariant(world: () => World, settle: () => Promise<void>): void {
  const callers: Record<string, Readonly<Record<string, string>>> = {
    moderator: authorizationOf('moderator'),
  };
  const { send, make, taxon } = callsOf(world, callers);
  const taxa: Record<string, string | null> = { none: null };

  beforeAll(async () => {
    for (const name of ['observer', 'meddler'])
      callers[name] = bearer(await login(world(), await makePerson(world().service)));
    taxa['order'] = await taxon();
    taxa['zebra'] = await taxon({ parent: taxa['order'] });
    taxa['rhino'] = await taxon({ parent: taxa['order'], location_privacy: 'obscured' });
    taxa['secret'] = await taxon({ parent: taxa['rhino'], location_privacy: 'private' });
  });

  const taxonName = fc.constantFrom('none', 'order', 'zebra', 'rhino', 'secret');
  const some = fc.nat({ max: 7 });
  const act = fc.oneof(
    fc.record({ kind: fc.constant('identify' as const), individual: some, taxon: taxonName }),
    fc.record({ kind: fc.constant('merge' as const), individual: some, into: some }),
    fc.record({ kind: fc.constant('delete' as const), individual: some }),
    fc.record({ kind: fc.constant('make' as const), taxon: taxonName }),
    fc.record({ kind: fc.constant('report' as const), individual: some, taxon: taxonName }),
    fc.record({ kind: fc.constant('settle' as const) }),
  );
  type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

  /** The observer's records, each of an individual of the meddler's. */
  async function scene(
    names: readonly string[],
  ): Promise<{ animals: string[]; records: string[] }> {
    const animals: string[] = [];
    const records: string[] = [];
    for (const name of names) {
      const animal = await make('meddler', 'individual', { taxonomy: taxa[name] ?? null });
      animals.push(animal);
      records.push(
        await make('observer', 'encounter', {
          individual: animal,
          time: '2021-06-03T14:05',
          latitude: -2.333,
          longitude: 34.8333,
        }),
      );
    }
    return { animals, records };
  }

  async function carryOut(given: Act, animals: string[]): Promise<void> {
    const at = (place: number): string => animals[place % animals.length] ?? '';
    const pick = (name: string): Json => ({ taxonomy: taxa[name] ?? null });
    switch (given.kind) {
      case 'identify':
        await send('meddler', 'PUT', `individual/${at(given.individual)}`, pick(given.taxon));
        return;
      case 'merge':
        await send('meddler', 'POST', `individual/${at(given.into)}/merge`, {
          from: [at(given.individual)],
        });
        return;
      case 'delete':
        await send('meddler', 'DELETE', `individual/${at(given.individual)}`);
        return;
      case 'make':
        animals.push(await make('meddler', 'individual', pick(given.taxon)));
        return;
      case 'report':
        await send('meddler', 'POST', 'encounter', {
          ...pick(given.taxon),
          individual: at(given.individual),
        });
        return;
      case 'settle':
        await settle();
    }
  }

  const toldOf = async (
    id: string,
  ): Promise<{ readonly isOpen: boolean; readonly all: string }> => {
    const read = await send('nobody', 'GET', `encounter/${id}`);
    const found = await send('nobody', 'GET', `search/encounter?id=${id}&expand=true`);
    const object = at(parsed(read.text), 'response') as Json;
    const all = JSON.stringify([object, read.headers.etag, at(parsed(found.text), 'response')]);
    return { isOpen: (object['generalized'] ?? null) === null, all };
  };

  test(`no act of who may not update an encounter opens it, or changes what is told of it (OMS_FUZZ_SEED=${SEED})`, async () => {
    let opened = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: SIZE.acts }), async (acts) => {
        const { animals, records } = await scene(['rhino', 'secret', 'zebra', 'order', 'none']);
        await settle();
        let before = await Promise.all(records.map(toldOf));
        for (const one of acts) {
          await carryOut(one, animals);
          const after = await Promise.all(records.map(toldOf));
          for (const [place, { isOpen, all }] of before.entries()) {
            if (isOpen) opened += 1;
            // What was open may become hidden, and nothing else. From obscured, since it was not identified, to what it is.
            else if (place < 2) expect([one, after[place]?.all]).toEqual([one, all]);
            else expect([one, after[place]?.isOpen]).toEqual([one, false]);
          }
          before = after;
        }
      }),
      { seed: SEED, numRuns: SIZE.runs, endOnFailure: true },
    );
    expect(opened).toBeGreaterThan(0);
  }, 600_000);
}
