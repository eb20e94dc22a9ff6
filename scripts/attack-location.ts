/**
 * `npm run attack:location`: brings records with known truth into services of its own, takes everything that a stranger can
 * get of them, and estimates where each animal lives. Prints how near each method comes, beside the cell alone, and what the
 * same methods find behind doors that are opened on purpose. Takes an hour.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom } from '../bench/data/random';
import { appRoot } from '../src/boot/app-root';
import { exitWith, useProduction } from '../src/boot/run';
import { collect } from './attack/collect';
import { DOORS, withDoor } from './attack/doors';
import { openField, type Field } from './attack/field';
import { readOystercatchers, repeated } from './attack/oystercatchers';
import { stage, type Staged } from './attack/stage';
import { controlsOf, reach, tableOf, type Column, type Reached } from './attack/table';
import { makeAnimals, makeHomes, shifted, type Animal, type Home } from './attack/truth';

const USAGE = `Usage: npm run attack:location [-- --homes <n>] [--seed <n>] [--only <text>] [--write]

  --homes <n>    how many homes are made up (1000)
  --seed <n>     another one makes other homes (1)
  --only <text>  the datasets whose title contains this
  --write        puts the tables into docs/privacy.md, too`;

/** When strangers are told of a hidden record: values of settings by which all is brought in and polled. */
const TELLINGS = [
  { title: 'monthly', site: { tell_hidden: 'monthly' } },
  { title: 'at once', site: { tell_hidden: 'at_once' } },
] as const;

/** Values of `show_owner_when_hidden`. */
const OWNERS = [
  { title: 'owners hidden', site: { show_owner_when_hidden: false } },
  { title: 'owners told', site: { show_owner_when_hidden: true } },
] as const;

/** The homes of the positive controls, by their spread in kilometres. */
const CONTROLLED = { least: 3, most: 5 };
const HOURS = 4;
const PHOTOGRAPHS = 200;

/** Between these lines of docs/privacy.md are the tables. */
const [BEGIN, END] = ['<!-- npm run attack:location -->', '<!-- end -->'];

interface Dataset {
  readonly title: string;
  readonly homes: readonly Home[];
  readonly hasOneOwner: boolean;
  /** Whether the doors are opened on it. */
  readonly isControlled?: true;
}

useProduction();
main().then(() => process.exit(0), exitWith);

async function main(): Promise<void> {
  const { homes, seed, only, write } = readArguments(process.argv.slice(2));
  const parts: string[] = [];
  for (const dataset of datasets(homes, seed).filter(({ title }) => title.includes(only))) {
    const part = await attack(dataset);
    process.stdout.write(`${part}\n\n`);
    parts.push(part);
  }
  if (write) writeTables(parts.join('\n\n'));
}

interface Arguments {
  readonly homes: number;
  readonly seed: number;
  readonly only: string;
  readonly write: boolean;
}

function readArguments(args: string[]): Arguments {
  try {
    const { values } = parseArgs({
      args,
      options: {
        homes: { type: 'string', default: '1000' },
        seed: { type: 'string', default: '1' },
        only: { type: 'string', default: '' },
        write: { type: 'boolean', default: false },
      },
    });
    const [homes, seed] = [Number(values.homes), Number(values.seed)];
    if (!Number.isInteger(homes) || homes < 10 || !Number.isInteger(seed)) throw new RangeError();
    return { homes, seed, only: values.only, write: values.write };
  } catch {
    process.stderr.write(`${USAGE}\n`);
    process.exit(2);
  }
}

function datasets(homes: number, seed: number): Dataset[] {
  const random = createRandom(seed);
  const file = join(appRoot, 'database/demo/dwca-oystercatchers/occurrence.csv');
  const elsewhere = shifted(
    repeated(birdsWithMany(readOystercatchers(file, 40)), Math.min(homes, 200)),
    random,
  );
  const made = makeHomes(
    makeAnimals(random, { animals: homes, records: 24, spreads: [2, 8] }),
    random,
  );
  return [
    {
      title: 'Six oystercatchers, one owner each',
      homes: makeHomes(readOystercatchers(file), random),
      hasOneOwner: false,
    },
    {
      title: `Their fixes, shifted to ${elsewhere.length} places, one owner each`,
      homes: makeHomes(elsewhere, random),
      hasOneOwner: false,
    },
    {
      title: `${homes} made-up homes with 2 to 8 km of spread, one owner each`,
      homes: made,
      hasOneOwner: false,
      isControlled: true,
    },
    { title: `The same ${homes} homes, one owner for all`, homes: made, hasOneOwner: true },
  ];
}

/** Two of the birds were seen only when they got their tags. */
function birdsWithMany(animals: readonly Animal[]): Animal[] {
  return animals.filter(({ places }) => places.length > 10);
}

/** The tables of a dataset. */
async function attack({ title, homes, hasOneOwner, isControlled }: Dataset): Promise<string> {
  const columns: Column[] = [];
  let controls: readonly Reached[] = [];
  for (const telling of TELLINGS) {
    const field = await openField(hasOneOwner);
    try {
      await field.set({ ...telling.site });
      const staged = await stage(homes, field, {
        name: 'attacked',
        photographs: Math.min(PHOTOGRAPHS, homes.length),
        hours: HOURS,
      });
      for (const owners of OWNERS) {
        await field.set({ ...owners.site });
        await field.settle();
        columns.push({
          title: `${telling.title}, ${owners.title}`,
          reached: await reachOf(field, staged),
        });
      }
      if (isControlled && telling.title === 'at once') {
        await field.set({ show_owner_when_hidden: false });
        controls = await openDoors(field, someOf(staged, homes));
      }
    } finally {
      await field.close();
    }
  }
  const table = `**${title}**\n\n${tableOf(columns)}`;
  return controls.length === 0 ? table : `${table}\n\n${controlsOf(controls)}`;
}

async function reachOf(field: Field, staged: Staged): Promise<Reached[]> {
  return reach(staged.sought, await collect(field.api, staged.polled, staged.polls));
}

/** The homes whose animals keep to so many kilometres. */
function someOf(staged: Staged, homes: readonly Home[]): Staged {
  const sought = staged.sought.filter((_, at) => {
    const spread = homes[at]?.spread ?? 0;
    return spread >= CONTROLLED.least && spread <= CONTROLLED.most;
  });
  return { ...staged, sought };
}

/** What each door lets the methods find that start behind it. */
async function openDoors(field: Field, staged: Staged): Promise<Reached[]> {
  const found: Reached[] = [];
  for (const door of DOORS) {
    const reached = await withDoor(door, field.inside, field.set, field.settle, () =>
      reachOf(field, staged),
    );
    found.push(...reached.filter(({ method }) => door.opens.includes(method)));
  }
  return found;
}

function writeTables(tables: string): void {
  const file = join(appRoot, 'docs', 'privacy.md');
  const text = readFileSync(file, 'utf8');
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${file} has no ${BEGIN}`);
  writeFileSync(file, `${before}${BEGIN}\n\n${tables}\n\n${END}${after}`);
}
