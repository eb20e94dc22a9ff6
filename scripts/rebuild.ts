/** `npm run rebuild`: computes what is kept of objects anew, from what is stored, or says what that would change. */
import { parseArgs } from 'node:util';
import { openBeside } from '../src/boot/beside';
import { boot } from '../src/boot/boot';
import { check, isWell, linesOf } from '../src/boot/check/check';
import { declaredTypes, expectThisRelease, modelBeside } from '../src/boot/check/declared';
import { keptProbes } from '../src/boot/check/kept';
import { readEnvironment } from '../src/boot/environment';
import { exitWith, useProduction } from '../src/boot/run';
import { objectsOf } from '../src/plugins/objects/server';
import { usage } from './command/command-line';

const USAGE = `Usage: npm run rebuild [-- --check]

Computes figures, levels of privacy and what searches use anew, and prints how many rows of each table have changed. With
SQLite the service must not be running; with PostgreSQL it may.

  --check  changes nothing: counts, of each kind, the objects of which something would change, and names three. What is
           written meanwhile does not count. It reads beside a running service. 0 of all: exit code 0; otherwise 1`;

async function main(): Promise<number> {
  useProduction();
  process.env.LOG_LEVEL ||= 'warn';
  return isChecking() ? compare() : rebuild();
}

function isChecking(): boolean {
  try {
    const { values } = parseArgs({
      options: {
        check: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) usage(USAGE, 0);
    return values.check;
  } catch {
    usage(USAGE, 2);
  }
}

async function rebuild(): Promise<number> {
  const service = await boot({ listen: false });
  try {
    for (const [table, count] of await objectsOf(service.strapi).rebuild())
      process.stdout.write(`${table}: ${count} ${count === 1 ? 'row' : 'rows'} changed\n`);
    return 0;
  } finally {
    await service.close();
  }
}

async function compare(): Promise<number> {
  const { database } = readEnvironment();
  const beside = await openBeside(database);
  try {
    await expectThisRelease(beside);
    const declared = await modelBeside(await declaredTypes(), beside, database);
    const report = await check(keptProbes(declared, beside, null), beside);
    process.stdout.write(`${linesOf(report, false).join('\n')}\n`);
    return isWell(report) ? 0 : 1;
  } finally {
    await beside.close();
  }
}

main().then((code) => process.exit(code), exitWith);
