/**
 * Jest's global setup of the projects that boot the service: one first start, whose database is copied for each test
 * file, because creating the tables takes most of the time of a start.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { emptyDatabase, TEMPLATE } from './database';
import { useMemory } from './memory';

/** For the teardown, which runs in the same process. */
const shared = globalThis as { dropTemplate?: () => Promise<void> };

export default async function makeTemplate(): Promise<void> {
  // Jest calls this once per project. Who runs it many times has a template for all runs.
  if (shared.dropTemplate || process.env[TEMPLATE] !== undefined) return;
  useMemory();
  const database = await emptyDatabase();
  shared.dropTemplate = () => database.drop();
  process.env[TEMPLATE] = database.source;
  await promisify(execFile)(process.execPath, [join(__dirname, 'first-start.js')], {
    cwd: join(__dirname, '..', '..'),
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      LOG_LEVEL: 'silent',
      DATABASE_CLIENT: '',
      DATABASE_URL: '',
      ...database.env,
    },
  });
}
