import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MARKER } from '#app/boot/installation';
import { testDatabase } from '../../helpers/database';
import { environmentOf } from '../../helpers/environment';
import { runScript } from '../../helpers/process';
import type { World } from '../../helpers/world';

/** What a database and the storage of its files know of each other. */
export function testInstallation(world: () => World, pathOf: (name: string) => string): void {
  const stored = async (): Promise<unknown> => {
    const knex = world().service.strapi.db.connection;
    return (await knex('oms_installation').select()) as unknown;
  };

  test('the storage has the name of the installation, and the database a hash of the secret', async () => {
    expect(await stored()).toEqual([
      expect.objectContaining({
        installation: readFileSync(pathOf(MARKER), 'utf8'),
        secret: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
      }),
    ]);
  });

  // SQLite has one server.
  if (testDatabase !== 'postgres') return;

  /** What a second server with another data directory says, which is given some of the files of the first. */
  async function second(names: readonly string[], env = {}): Promise<[unknown, string]> {
    const dataDir = mkdtempSync(join(tmpdir(), 'oms second '));
    try {
      for (const name of names)
        copyFileSync(join(world().service.dataDir, name), join(dataDir, name));
      const start = await runScript('start', { ...environmentOf(dataDir), ...env });
      return [await start.ended, start.errors()];
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  }

  test('a second server with another secret, or without a common storage, does not start', async () => {
    const before = await stored();
    const hasBucket = Boolean(process.env.S3_BUCKET);
    expect(await second([])).toEqual([
      1,
      expect.stringMatching(
        /^\S.*secrets\.json is not the secret that the database has been used with: .*\n$/,
      ),
    ]);
    expect(await second(['secrets.json'], hasBucket ? { S3_PREFIX: 'elsewhere' } : {})).toEqual([
      1,
      expect.stringMatching(
        hasBucket
          ? /^The bucket photographs\/elsewhere .* has no \.oms-storage of this database: .* npm run adopt-storage\.\n$/
          : /^The folder .* has no \.oms-storage of this database: .* npm run adopt-storage\.\n$/,
      ),
    ]);
    expect(await stored()).toEqual(before);
  });
}
