/** `npm run rebuild`: computes what is kept of objects anew, from what is stored. */
import { boot } from '../src/boot/boot';
import { exitWith, useProduction } from '../src/boot/run';
import { objectsOf } from '../src/plugins/objects/server';

async function main(): Promise<void> {
  useProduction();
  process.env.LOG_LEVEL ||= 'warn';
  const service = await boot({ listen: false });
  try {
    for (const [table, count] of await objectsOf(service.strapi).rebuild())
      process.stdout.write(`${table}: ${count} ${count === 1 ? 'row' : 'rows'} changed\n`);
  } finally {
    await service.close();
  }
}

main().then(() => process.exit(0), exitWith);
