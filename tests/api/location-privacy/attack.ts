import * as generalizing from '#app/api/encounter/domain/generalize';
import { registryOf } from '#app/plugins/objects/server';
import type { ImportService } from '#app/plugins/exchange/server';
import { join } from 'node:path';
import { createApi } from '../../../scripts/attack/api';
import { collect } from '../../../scripts/attack/collect';
import { DOORS, withDoor } from '../../../scripts/attack/doors';
import { METHODS } from '../../../scripts/attack/estimate';
import { stage, type Staged } from '../../../scripts/attack/stage';
import { reach, shareOf } from '../../../scripts/attack/table';
import { makeAnimals, makeHomes } from '../../../scripts/attack/truth';
import { createRandom } from '../../../bench/data/random';
import { authorizationOf } from '../../helpers/callers';
import { SEED } from '../../helpers/counterexamples';
import { makePerson } from '../../helpers/people';
import type { World } from '../../helpers/world';
import { callsOf } from './levels';

/**
 * As few animals and records as every method needs to find what is behind an open door, whatever the seed. With 24 animals of
 * 48 records each, shares of cells came to more than 0.35 for one seed in a hundred; with these to 0.30 at most.
 */
const SIZE = { animals: 48, records: 64, spreads: [3, 5] } as const;
const PHOTOGRAPHS = 24;

/** No more than this share of the error of the cell alone is found behind an open door. */
const FOUND = 0.35;
const NOT_FOUND = 0.95;

/** The attacker of `npm run attack:location`, in short (docs/privacy.md, "Attacked on purpose"). */
export function testAttack(world: () => World, settle: () => Promise<void>): void {
  describe(`an attacker who takes all that a stranger can get (OMS_FUZZ_SEED=${SEED})`, () => {
    const { change } = callsOf(world, { administrator: authorizationOf('administrator') });
    const api = () => createApi(world().service.url, authorizationOf('administrator'));
    let staged: Staged;

    beforeAll(async () => {
      const { service } = world();
      const random = createRandom(SEED);
      const owner = (await makePerson(service)).id;
      const imports = service.strapi.plugin('exchange').service<ImportService>('import');
      const report = join(service.dataDir, 'attack.csv');
      const homes = makeHomes(makeAnimals(random, SIZE), random);
      staged = await stage(
        homes,
        {
          api: api(),
          settle,
          nextMonth: settle,
          ownerOf: () => Promise.resolve(owner),
          import: async (file, of) => {
            await imports.run(file, { owner: of, report });
          },
        },
        { name: 'attacked', photographs: PHOTOGRAPHS, hours: 2 },
      );
      // Statements are compiled as they are, before any door is open.
      await shares();
    }, 120_000);

    /** What each method reaches, as a share of the error of the cell alone. */
    const shares = async (): Promise<Record<string, number>> => {
      const reached = reach(staged.sought, await collect(api(), staged.polled, staged.polls));
      return Object.fromEntries(reached.map((one) => [one.method, shareOf(one)]));
    };
    const closed = METHODS.filter(({ isClosed }) => isClosed).map(({ name }) => name);

    test('finds no home from an individual, a photograph, an event or a time', async () => {
      const reached = await shares();
      const found = closed.filter((name) => (reached[name] ?? 0) < NOT_FOUND);
      expect([found, reached]).toEqual([[], reached]);
    });

    test.each(DOORS)('finds them through the door of $name, once it is open', async (door) => {
      const { strapi } = world().service;
      const inside = {
        resources: registryOf(strapi).model().resources,
        generalizing,
        run: (statement: string) => strapi.db.connection.raw(statement),
      };
      const set = (site: Readonly<Record<string, string>>) =>
        change('administrator', 'site_settings', { ...site });
      const reached = await withDoor(door, inside, set, settle, shares);
      // What fails here would fail the test above, too: no attacker that finds nothing proves that a door is closed.
      expect([door.opens.filter((name) => !((reached[name] ?? 1) <= FOUND)), reached]).toEqual([
        [],
        reached,
      ]);
    });
  });
}
