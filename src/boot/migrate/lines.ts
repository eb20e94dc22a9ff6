/** What is said of an upgrade. */
import type { LeftByStart } from '../../plugins/objects/server/search/projection/versions/left-by-start';
import type { NamedTable, Pending } from './pending';
import type { Migrated } from './rehearsal';
import { SYNC, type Ran, type MigrationStep } from './watch';

/** Characters of a statement that are shown. */
const WIDTH = 160;

const timeText = (time: number): string =>
  time < 999.5 ? `${time.toFixed(time < 9.95 ? 1 : 0)} ms` : `${(time / 1000).toFixed(1)} s`;

const rowsText = (rows: number): string => `${rows} ${rows === 1 ? 'row' : 'rows'}`;

/** Milliseconds of reads that are worth a line. */
const READS = 10;

/** A rehearsal, in full. */
export function migratedLines({ steps, left, time }: Migrated): string[] {
  return [
    ...steps.flatMap((step) => [
      `${step.name}: ${timeText(step.time)}`,
      ...step.statements.map(statementLine),
      ...readLine(step),
      ...lockLine(step),
      '',
    ]),
    totalLine(steps),
    ...leftLines(left),
    `A start of this release took ${timeText(time)} on the copy, on this machine and beside what else it does: so long the service is away.`,
    'Nothing has been changed.',
  ];
}

const leftLines = ({ filled, inPlace }: LeftByStart): string[] => [
  ...filled.map(
    (type) =>
      `What each ${type} is searched by is made anew beside the running service; some searches are answered with 503 until then.`,
  ),
  ...inPlace.map(
    ({ type, name }) =>
      `What is kept of each ${type} (${name}) is made anew beside the running service; what was made for other readers is withheld until then.`,
  ),
];

const statementLine = ({ text, count, rows, time }: Ran): string =>
  [
    `  ${String(count).padStart(5)} ×`,
    (rows === null ? '' : rowsText(rows)).padStart(14),
    timeText(time).padStart(9),
    ` ${text.length > WIDTH ? `${text.slice(0, WIDTH)}…` : text}`,
  ].join(' ');

const readLine = ({ reads }: MigrationStep): string[] =>
  reads.time < READS ? [] : [statementLine({ text: 'reads', rows: null, ...reads })];

const lockLine = ({ locks }: MigrationStep): string[] => {
  const by = new Map<string, string[]>();
  for (const { table, mode, stops } of locks) {
    const held = `stops ${stops} (${mode})`;
    by.set(held, [...(by.get(held) ?? []), table]);
  }
  return [...by].map(([held, tables]) => `  ${held}: ${tables.join(', ')}`);
};

function totalLine(steps: readonly MigrationStep[]): string {
  if (steps.length === 0) return 'Nothing is pending.';
  const time = timeText(steps.reduce((total, step) => total + step.time, 0));
  const migrations = steps.filter(({ name }) => name !== SYNC).length;
  if (migrations === 0) return `No migration is pending; Strapi's sync took ${time}.`;
  const are = migrations === 1 ? 'migration is' : 'migrations are';
  return `${migrations} ${are} pending, and took ${time} with Strapi's sync.`;
}

/** A real migration. @param release as `readRelease` gives it */
export function doneLines({ steps, left, time }: Migrated, release: string): string[] {
  return [
    ...steps.map((step) => `${step.name}: ${timeText(step.time)}`),
    ...leftLines(left),
    `${steps.length === 0 ? 'Nothing was pending' : `Migrated in ${timeText(time)}`}: the database is that of release ${release}.`,
  ];
}

/** What is pending, by names alone. */
export function namedLines({ migrations, internal, schema, left }: Pending): string[] {
  const background = left
    ? leftLines(left)
    : ['Whether what is searched by is made anew is known once the migrations have run.'];
  if (migrations.length + internal.length + schema.length === 0)
    return ['Nothing is pending.', ...background];
  return [
    ...migrations.map(({ name, tables }) => `${name}: ${tables.map(tableText).join(', ')}`),
    ...internal.map((name) => `${name}, of Strapi`),
    ...(schema.length === 0 ? [] : [`${SYNC}, where no migration has done it:`]),
    ...schema.map((line) => `  ${line}`),
    '',
    ...background,
    'Pending, with the tables that are named in it. Statements, rows, times and locks are told where they are tried on a copy:',
    'npm run migrate -- --dry-run --in <address of a PostgreSQL database without tables>',
    'Nothing has been changed.',
  ];
}

const tableText = ({ name, rows }: NamedTable): string =>
  `${name} (${rows === null ? 'not counted' : `about ${rowsText(rows)}`})`;
