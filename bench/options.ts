/** The options of `npm run bench`. */
import { parseArgs } from 'node:util';
import { DATABASES, type DatabaseName } from './places/place';
import { WORKLOADS } from './workloads';

export const USAGE = `Usage: npm run bench -- [options]

  --quick            the four calls in about a minute, for a first look
  --database <name>  sqlite (by default) or postgres
  --only <list>      of read, create, update, delete, growth, start, accounts, assets, settings,
                     objects, batch, deletion, merge, search, common-searches, panel-lists;
                     all by default
  --records <n>      encounters that are there (10000)
  --growth <list>    numbers of encounters to compare, in growth, search, common-searches
                     and panel-lists (1000,100000)
  --peer <file>      a binary of PocketBase 0.22, to measure beside ours in common-searches
  --rounds <n>       how often each is measured (5)
  --seconds <n>      how long each time (4)
  --out <file>       where the results go (.data/bench/<time>.json)
  --against <file>   the results of an earlier run, to compare with
  --cpu-prof         also says where ours spends its time, and keeps the profiles beside the results`;

/**
 * Besides the four calls: with many records, a start, what accounts, photographs, settings and relations cost, a batch, a deletion and a merge with many
 * encounters, searches, those that are asked most, the lists of the panel. */
export const PARTS = [
  ...WORKLOADS,
  'growth',
  'start',
  'accounts',
  'assets',
  'settings',
  'objects',
  'batch',
  'deletion',
  'merge',
  'search',
  'common-searches',
  'panel-lists',
] as const;
export type Part = (typeof PARTS)[number];

export interface Options {
  readonly database: DatabaseName;
  readonly only: readonly Part[];
  readonly records: number;
  readonly growth: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
  readonly out: string | null;
  readonly against: string | null;
  readonly peer: string | null;
  readonly profile: boolean;
}

/** An invalid option. */
export class UsageError extends Error {}

/** @throws UsageError */
export function readOptions(args: string[]): Options {
  const { values } = parse(args);
  const quick = values.quick === true;
  return {
    database: oneOf(DATABASES, values.database ?? 'sqlite'),
    only: (values.only?.split(',') ?? (quick ? WORKLOADS : PARTS)).map((name) =>
      oneOf(PARTS, name),
    ),
    records: number(values.records ?? (quick ? '2000' : '10000'), 1000),
    growth: (values.growth ?? '1000,100000').split(',').map((text) => number(text, 1000)),
    rounds: number(values.rounds ?? (quick ? '3' : '5'), 1),
    seconds: number(values.seconds ?? (quick ? '1' : '4'), 1),
    out: values.out ?? null,
    against: values.against ?? null,
    peer: values.peer ?? null,
    profile: values['cpu-prof'] === true,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        quick: { type: 'boolean' },
        database: { type: 'string' },
        only: { type: 'string' },
        records: { type: 'string' },
        growth: { type: 'string' },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        out: { type: 'string' },
        against: { type: 'string' },
        peer: { type: 'string' },
        'cpu-prof': { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function oneOf<T extends string>(values: readonly T[], given: string): T {
  const found = values.find((value) => value === given);
  if (found === undefined) throw new UsageError(`"${given}" is none of ${values.join(', ')}`);
  return found;
}

function number(given: string, min: number): number {
  const value = Number(given);
  if (!Number.isInteger(value) || value < min)
    throw new UsageError(`"${given}" is no whole number from ${min}`);
  return value;
}
