/**
 * `npm run search-plans`: writes how some forty searches are carried out on 100,000 encounters, each with its statements
 * and the plan of the database: what a change of the search is compared with.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createCleanup, folderOfRun } from '../bench/cleanup';
import { DATABASES, type DatabaseName } from '../bench/places/place';
import { makeSearched, type Searched } from '../bench/search';
import { makeFirst } from '../bench/stage';
import { appRoot } from '../src/boot/app-root';
import { boot, type Service } from '../src/boot/boot';
import { exitWith, useProduction } from '../src/boot/run';
import type { Caller } from '../src/core/caller';
import { databaseOf, objectsOf } from '../src/plugins/objects/server';
import type { PlanDescription } from '../src/plugins/objects/server/search/plan/plan';
import { callerNamed } from './command/accounts';
import { usage } from './command/command-line';
import { explain, explainedText, planText } from './explain/explain';
import { LISTS, searchesIn, type Asker, type Search } from './explain/searches';

const USAGE = `Usage: npm run search-plans -- [--database sqlite|postgres] [--encounters <n>]

Writes tests/search-plans/<database>.txt.

  --database <name>  (sqlite)
  --encounters <n>   how many there are (100000)`;

useProduction();
main().then(() => process.exit(0), exitWith);

async function main(): Promise<void> {
  const { database, encounters } = readArguments(process.argv.slice(2));
  const cleanup = createCleanup();
  const folder = folderOfRun('plans', cleanup);
  try {
    const theater = { database, folder, cleanup };
    const searched = await makeSearched(theater, await makeFirst(theater), encounters);
    Object.assign(process.env, searched.place.env, { LOG_LEVEL: 'warn' });
    const service = await boot({ listen: false, announce: () => undefined });
    try {
      const out = join(appRoot, 'tests', 'search-plans');
      mkdirSync(out, { recursive: true });
      writeFileSync(join(out, `${database}.txt`), await plansOf(service, searched, encounters));
    } finally {
      await service.close();
    }
  } finally {
    await cleanup.run();
  }
}

async function plansOf(service: Service, searched: Searched, size: number): Promise<string> {
  const objects = objectsOf(service.strapi);
  const database = databaseOf(service.strapi);
  const callers = await callersOf(service);
  const parts: string[] = [];
  const add = async (title: string, { work, plan }: Prepared): Promise<void> => {
    // The statements first: what a plan asks may be known afterwards.
    const explained = explainedText(await explain(database, work));
    const planned = plan ? `${planText(await plan())}\n\n` : '';
    parts.push(`## ${title}\n\n${planned}${explained}`);
  };
  for (const search of searchesIn(searched, size))
    for (const asker of search.as ?? (['moderator', 'anonymous'] as const)) {
      await add(titleOf(search, asker), await prepared(service, search, callers[asker]));
    }
  for (const [title, query] of Object.entries(LISTS))
    await add(`a list of the panel: ${title}`, {
      work: () => objects.list('encounter', query, callers.moderator),
    });
  return withoutIds(`${parts.join('\n\n')}\n`);
}

const titleOf = (
  { type = 'encounter', query, isSecondPage, isWhole }: Search,
  asker: Asker,
): string =>
  [`${type}?${query}`, `as ${asker}`, isSecondPage && 'second page', isWhole && 'all of it']
    .filter(Boolean)
    .join(', ');

/** What is explained of a search. */
interface Prepared {
  readonly work: () => Promise<unknown>;
  readonly plan?: () => Promise<PlanDescription>;
}

async function prepared(
  { strapi }: Service,
  { type = 'encounter', query, isSecondPage, isWhole }: Search,
  caller: Caller,
): Promise<Prepared> {
  const objects = objectsOf(strapi);
  const parameters = new Map(new URLSearchParams(query));
  if (isWhole)
    return {
      work: () => objects.pages(type, parameters, caller, { fields: ['id'], invalid: [] }).next(),
    };
  if (isSecondPage) {
    const { next } = await objects.find(type, parameters, caller);
    parameters.set('cursor', next ?? '');
  }
  return {
    work: () => objects.find(type, parameters, caller),
    plan: () => objects.explain(type, parameters, caller),
  };
}

async function callersOf(service: Service): Promise<Readonly<Record<Asker, Caller>>> {
  const named = (name: string): Promise<Caller> => callerNamed(service, name);
  return {
    anonymous: await named('anonymous'),
    user: await named('oldest@example.org'),
    owner: await named('spread@example.org'),
    moderator: await named('moderator'),
  };
}

/** IDs differ from run to run. */
const withoutIds = (text: string): string =>
  text.replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '<id>');

interface Arguments {
  readonly database: DatabaseName;
  readonly encounters: number;
}

function readArguments(args: string[]): Arguments {
  try {
    const { values } = parseArgs({
      args,
      options: {
        database: { type: 'string', default: 'sqlite' },
        encounters: { type: 'string', default: '100000' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) usage(USAGE, 0);
    const database = DATABASES.find((one) => one === values.database);
    const encounters = Number(values.encounters);
    if (!database || !(encounters >= 1000)) return usage(USAGE, 2);
    return { database, encounters };
  } catch {
    return usage(USAGE, 2);
  }
}
