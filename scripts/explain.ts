/** `npm run explain`: prints the plan of a search, and what the database does for it. */
import { parseArgs } from 'node:util';
import { boot } from '../src/boot/boot';
import { onSnapshot } from '../src/boot/on-snapshot';
import { exitWith, useProduction } from '../src/boot/run';
import { StartError } from '../src/core/start-error';
import { databaseOf, objectsOf, registryOf } from '../src/plugins/objects/server';
import { usage } from './command/command-line';
import { callerNamed } from './command/accounts';
import { toldPlainly } from './command/refusal';
import { explain, explainedText, planText } from './explain/explain';

const USAGE = `Usage: npm run explain -- <type> [<query>] [--as <caller>]

Runs a search, and prints its plan, and its statements, each with its values and the plan of the
database. It may run beside a service, on a copy of the database with SQLite.

  <type>         such as encounter
  <query>        as in the address of a search: 'q=zebra&sort=-time'
  --as <caller>  anonymous, moderator, or an account: an address, a user name or an ID (moderator)`;

interface Arguments {
  readonly type: string;
  readonly query: ReadonlyMap<string, string>;
  readonly as: string;
}

useProduction();
process.env.LOG_LEVEL ||= 'warn';
const args = readArguments(process.argv.slice(2));
onSnapshot(() => print(args)).then(
  () => process.exit(0),
  (error: unknown) => exitWith(toldPlainly(error)),
);

async function print({ type, query, as }: Arguments): Promise<void> {
  const service = await boot({ listen: false, announce: () => undefined });
  try {
    const { strapi } = service;
    if (!registryOf(strapi).model().find(type)) throw new StartError(`There is no type "${type}".`);
    const caller = await callerNamed(service, as);
    const objects = objectsOf(strapi);
    // The statements first: what a plan asks may be known afterwards.
    const explained = await explain(databaseOf(strapi), () => objects.find(type, query, caller));
    const plan = await objects.explain(type, query, caller);
    process.stdout.write(`${planText(plan)}\n\n${explainedText(explained)}\n`);
  } finally {
    await service.close();
  }
}

function readArguments(args: string[]): Arguments {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        as: { type: 'string', default: 'moderator' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) usage(USAGE, 0);
    const [type = usage(USAGE, 2), query = '', ...more] = positionals;
    if (more.length > 0) usage(USAGE, 2);
    return { type, as: values.as, query: new Map(new URLSearchParams(query)) };
  } catch {
    return usage(USAGE, 2);
  }
}
