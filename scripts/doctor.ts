/** `npm run doctor`: says what an operator should know of an installation. */
import { parseArgs } from 'node:util';
import { hiddenLines, hiddenNow } from '../src/api/encounter/hidden-now';
import { boot } from '../src/boot/boot';
import { onSnapshot } from '../src/boot/on-snapshot';
import { fail, useProduction } from '../src/boot/run';

const USAGE = `Usage: npm run doctor

Says in numbers what strangers are not told of encounters, and which settings of the site decide over it. It may run
beside a service. With SQLite it reads a copy of the database; with PostgreSQL it is a start of this release, which
carries out pending migrations first.`;

void main();

async function main(): Promise<void> {
  useProduction();
  process.env.LOG_LEVEL ||= 'warn';
  try {
    const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
    if (values.help) return end(`${USAGE}\n`);
    await onSnapshot(diagnose);
    end('');
  } catch (error) {
    fail(error);
  }
}

async function diagnose(): Promise<void> {
  const service = await boot({ listen: false, announce: () => undefined });
  try {
    const counted = await hiddenNow(service.strapi, new AbortController().signal);
    process.stdout.write(`${hiddenLines(counted).join('\n')}\n`);
  } finally {
    await service.close();
  }
}

function end(text: string): void {
  process.stdout.write(text, () => process.exit(0));
}
