import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { objectsOf } from '#app/plugins/objects/server';
import type { Body } from '#app/plugins/objects/server/declare/objects';
import type { Objects } from '#app/plugins/objects/server/types';
import type { World } from '../../helpers/world';
import type { Exports } from './exports';
import { testUnreadExports } from './unread-exports';

/** Pages that are given before a hand that reads them lets go: more than the buffers on the way hold. */
const ENOUGH = 2000;

/** The temporary files of exports that this process has open; they have no names any more. */
async function openFiles(): Promise<string[]> {
  const links = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  );
  return links.filter((link) => link.includes('oms-export-'));
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    if (await holds()) return;
    await setTimeout(10);
  }
  throw new Error('it does not come about');
}

/** What makes an encounter one that a Camtrap DP can hold. */
const BY_CAMERA = {
  ...{ basis_of_record: 'machine_observation', sampling_protocol: 'camera trap' },
  ...{ time: '2020-05-04T03:02Z', latitude: 1, longitude: 1, generalized: null },
};

interface Endless {
  /** How many pages have been asked for. */
  readonly given: () => number;
  /** Whether nobody will ask for more. */
  readonly isOver: () => boolean;
}

/** Exports that end before their end, on a shared service. */
export function testBrokenExports(world: () => World, { callers }: Exports): void {
  const errors: unknown[] = [];
  const note = (error: unknown): void => void errors.push(error);
  beforeAll(() => void process.on('unhandledRejection', note).on('uncaughtException', note));
  afterAll(() => void process.off('unhandledRejection', note).off('uncaughtException', note));

  /** Every export meets the same page again and again. */
  function endless(): Endless {
    const objects = objectsOf(world().service.strapi);
    const found = objects.pages.bind(objects);
    let [given, isOver] = [0, false];
    const pages: Objects['pages'] = async function* (...args) {
      try {
        const some = (await found(...args).next()).value as readonly Body[];
        const first = some.map((one) => ({ ...one, ...BY_CAMERA }));
        for (; given < ENOUGH; given += 1) yield first;
      } finally {
        isOver = true;
      }
    };
    jest.spyOn(objects, 'pages').mockImplementation(pages);
    return { given: () => given, isOver: () => isOver };
  }

  async function begin(format: string): Promise<IncomingMessage> {
    const url = `${world().service.url}/api/v0/export/encounter?format=${format}`;
    const sent = request(url, { headers: callers['moderator'] ?? {}, agent: false }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.on('error', () => undefined);
    await once(answer, 'readable');
    answer.read();
    return answer;
  }

  afterEach(() => {
    jest.restoreAllMocks();
    world().service.strapi.config.set('oms.lifecycle', { draining: false });
  });

  describe.each(['csv', 'geojson', 'dwca', 'camtrap_dp'])('an export as %s', (format) => {
    test('ends when its client goes away', async () => {
      const { given, isOver } = endless();
      const answer = await begin(format);
      answer.destroy();
      await until(isOver);
      expect(given()).toBeLessThan(ENOUGH);
      await until(async () => (await openFiles()).length === 0);
      expect(errors).toEqual([]);
    });

    test('breaks off without an end when the service ends', async () => {
      const { given, isOver } = endless();
      const answer = await begin(format);
      world().service.strapi.config.set('oms.lifecycle', { draining: true });
      const closed = new Promise((resolve) => answer.once('close', resolve));
      answer.resume();
      await closed;
      expect([answer.complete, isOver()]).toEqual([false, true]);
      expect(given()).toBeLessThan(ENOUGH);
      await until(async () => (await openFiles()).length === 0);
      expect(errors).toEqual([]);
    });

    test('breaks off when the database fails', async () => {
      const objects = objectsOf(world().service.strapi);
      const found = objects.pages.bind(objects);
      jest.spyOn(objects, 'pages').mockImplementation(async function* (...args) {
        const some = (await found(...args).next()).value as readonly Body[];
        yield some.map((one) => ({ ...one, ...BY_CAMERA }));
        await setTimeout(20);
        throw new Error('it is gone');
      });
      const answer = await begin(format);
      const closed = new Promise((resolve) => answer.once('close', resolve));
      answer.resume();
      await closed;
      expect(answer.complete).toBe(false);
      await until(async () => (await openFiles()).length === 0);
      expect(errors).toEqual([]);
    });
  });

  describe('exports without readers', () => testUnreadExports(world));
}
