/** Runs the floor in its own process, on the database of its environment. */
import { readFileSync } from 'node:fs';
import { serve } from '../contenders/child';
import { fileIn } from '../places/sqlite';
import { createFloor } from './app';
import { openPostgres } from './postgres';
import { openSqlite } from './sqlite';

void serve(async () => {
  const { OMS_DATA_DIR = '', DATABASE_URL, BENCH_SETTINGS } = process.env;
  const store = DATABASE_URL ? openPostgres(DATABASE_URL) : openSqlite(fileIn(OMS_DATA_DIR));
  const settings = BENCH_SETTINGS ? readFileSync(BENCH_SETTINGS, 'utf8') : '{}';
  const app = createFloor(store, settings);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { url, close: () => app.close().then(() => store.close()) };
});
