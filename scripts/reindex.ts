/** `npm run reindex`: has the running service make anew what searches use, or the next one that starts. */
import { runBeside } from '../src/boot/database';
import { readEnvironment } from '../src/boot/environment';
import { exitWith, useProduction } from '../src/boot/run';
import { ALL_TYPES } from '../src/plugins/objects/server/search/projection/rebuild';

async function main(): Promise<void> {
  useProduction();
  await runBeside(
    readEnvironment().database,
    `insert into oms_search_jobs (type, position) values ('${ALL_TYPES}', 0) on conflict (type) do nothing`,
  );
  process.stdout.write(
    'What searches use is made anew by the running service, within seconds, or by the next one that starts.\n',
  );
}

main().then(() => process.exit(0), exitWith);
