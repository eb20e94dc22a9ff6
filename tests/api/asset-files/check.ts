import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { environmentOf } from '../../helpers/environment';
import { send } from '../../helpers/http';
import { parsed } from '../../helpers/json';
import { runScript } from '../../helpers/process';
import { until } from '../../helpers/until';
import type { World } from '../../helpers/world';

/** The files of photographs. */
interface Stored {
  readonly names: () => string[];
  readonly pathOf: (name: string) => string;
}

/** Milliseconds for which an answer about photographs is held, and more. */
const LATER = 61_000;

/** What a running service says of its photographs, and what a check says beside it. */
export function testCheck(world: () => World, { names, pathOf }: Stored): void {
  const ready = async (): Promise<unknown> => {
    const answer = await send(world().service.url, { method: 'GET', url: '/_health/ready' });
    const { status, checks } = parsed(answer.text) as { status: string; checks: object };
    return { code: answer.status, status, checks };
  };

  test('a check beside a service that is written to finds nothing wrong', async () => {
    await world().create('asset');
    let isOver = false;
    const individual = await world().create('individual');
    const writing = (async () => {
      for (let at = 0; !isOver; at += 1) {
        const assets = at % 10 === 0 ? [await world().create('asset')] : [];
        const body = { remarks: 'beside a check', time: '2024-05-01', individual, assets };
        const id = await world().create('encounter', body);
        await world().update('encounter', id, { time: '2023', location_privacy: 'private' });
        await sleep(20);
      }
    })();
    const run = await runScript('check', environmentOf(world().service.dataDir), ['--hash']);
    const code = await run.ended;
    isOver = true;
    await writing;
    const [row] = await world().service.strapi.db.connection('up_users').count({ number: '*' });
    const accounts = Number((row as { number: unknown }).number);
    const lines = [...run.output().matchAll(/^([a-z ]+): (\d+)/gm)];
    expect([code, run.errors()]).toEqual([1, '']);
    // Accounts of tests are stored without a history, and without what searches need.
    expect(Object.fromEntries(lines.map(([, kind, count]) => [kind, Number(count)]))).toEqual({
      ...{ references: 0, links: 0, history: accounts, figures: 0, levels: 0, files: 0 },
      ...{ projections: accounts, renditions: 0, 'damaged files': 0, 'orphaned files': 0 },
    });
    expect(run.output()).toMatch(
      /^history: \d+: user [0-9a-f-]{36} \(version 1, entries of 0 up to 0\)/m,
    );
  });

  test('it is degraded while photographs are missing, and answers', async () => {
    let now = performance.now() + LATER;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    const says = (status: string, photographs: boolean) => async (): Promise<boolean> => {
      const found = (await ready()) as {
        code: number;
        status: string;
        checks: { photographs: boolean };
      };
      return (
        found.code === 200 && found.status === status && found.checks.photographs === photographs
      );
    };
    try {
      await until('all is there', says('ok', true));
      const all = names();
      const kept = join(world().service.dataDir, 'kept-');
      for (const name of all) {
        await copyFile(pathOf(name), kept + name);
        await rm(pathOf(name));
      }
      expect(await ready()).toMatchObject({ code: 200, status: 'ok' });
      now += LATER;
      await until('all is gone', says('degraded', false));
      for (const name of all) {
        await copyFile(kept + name, pathOf(name));
        await rm(kept + name);
      }
      expect(await ready()).toMatchObject({ code: 200, status: 'degraded' });
      now += LATER;
      await until('all is there again', says('ok', true));
    } finally {
      clock.mockRestore();
    }
  });
}
