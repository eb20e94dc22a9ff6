import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runScript } from '../helpers/process';
import { freePort } from '../helpers/service';

describe('a start that fails prints the reason in one line and exits with code 1', () => {
  let folder: string;
  let taken: Server;
  let takenPort: number;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'oms refused '));
    writeFileSync(join(folder, 'file'), '');
    writeFileSync(join(folder, 'secrets.json'), 'rubbish');
    taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    takenPort = (taken.address() as AddressInfo).port;
  });
  afterAll(() => {
    taken.close();
    rmSync(folder, { recursive: true });
  });

  const scenarios: [
    string,
    () => Promise<Record<string, string>> | Record<string, string>,
    () => RegExp,
  ][] = [
    [
      'a port that is none',
      () => ({ PORT: 'abc' }),
      () => /^PORT="abc" is not a whole number from 0 to 65535\.$/,
    ],
    [
      'a port that is taken',
      () => ({ PORT: String(takenPort) }),
      () =>
        new RegExp(
          `^Port ${takenPort} of 127\\.0\\.0\\.1 is taken; choose another one with PORT=\\d+\\.$`,
        ),
    ],
    [
      'a host of another machine',
      () => ({ HOST: '192.0.2.1' }),
      () => /^HOST="192\.0\.2\.1" is no address of this machine \(EADDRNOTAVAIL\)\.$/,
    ],
    [
      // A path below a file: root may write to every folder, but to none that cannot be.
      'a folder that cannot be written',
      () => ({ OMS_DATA_DIR: join(folder, 'file', 'data') }),
      () =>
        /^OMS_DATA_DIR="[^"]+" cannot be written \(ENOTDIR\); give a folder that this user may write\.$/,
    ],
    [
      // Its parent is there, and takes nothing.
      'a folder that cannot be made',
      () => ({ OMS_DATA_DIR: '/proc/oms/data' }),
      () =>
        /^OMS_DATA_DIR="\/proc\/oms\/data" cannot be written \(ENOENT\); give a folder that this user may write\.$/,
    ],
    [
      'secrets that are damaged',
      () => ({ OMS_DATA_DIR: folder }),
      () => /secrets\.json is damaged; restore it from a backup/,
    ],
    [
      'a PostgreSQL that is not there, without its password',
      async () => ({
        DATABASE_CLIENT: 'postgres',
        DATABASE_URL: `postgres://oms:hush@127.0.0.1:${await freePort()}/oms`,
      }),
      () =>
        /^DATABASE_URL: the database at 127\.0\.0\.1:\d+\/oms cannot be reached \(.*ECONNREFUSED.*\)\.$/,
    ],
  ];

  test.each(scenarios)('%s', async (_name, env, expected) => {
    const start = await runScript('start', {
      OMS_DATA_DIR: join(folder, 'data'),
      ...(await env()),
    });
    expect(await start.ended).toBe(1);
    expect(start.errors().trimEnd()).toMatch(expected());
    expect(start.errors().trimEnd()).not.toMatch(/\n|hush/);
    expect(start.output()).toBe('');
  });
});
