/** Results as tables in Markdown. */
import type {
  AccountsResult,
  AssetsResult,
  BatchResult,
  CommonSearchesResult,
  RippleResult,
  Measurement,
  ObjectsResult,
  PanelListsResult,
  Result,
  SearchResult,
  Round,
  SettingsResult,
} from './result';
import { median, percentile, ratios, spread } from './statistics';

type Cells = readonly string[];

const PROGRAMS = ['ours', 'floor', 'stock'];

/** A whole result. */
export function describe(result: Result): string {
  const { machine, database, records, rounds, seconds } = result;
  const gigabytes = Math.round(machine.memory / 2 ** 30);
  return [
    `${result.date.slice(0, 10)}, commit ${result.commit}; Node ${machine.node}, ${database}; ${machine.cpu}, ` +
      `${machine.cores} cores, load ${machine.load.toFixed(1)}, ${gigabytes} GB, ${machine.system}; ${records} encounters, ` +
      `${rounds} rounds of ${seconds} s`,
    ...(result.calls.length > 0
      ? [ratioTable(result), callsTable(result), memoryLine(result)]
      : []),
    ...(result.growth.length > 0 ? [growthTable(result.growth)] : []),
    ...(Object.keys(result.starts).length > 0 ? [startsLine(result)] : []),
    ...(result.accounts ? [accountsText(result.accounts)] : []),
    ...(result.assets ? [assetsText(result.assets)] : []),
    ...(result.settings ? [settingsText(result.settings)] : []),
    ...(result.objects ? [objectsText(result.objects)] : []),
    ...(result.batch ? [batchText(result.batch)] : []),
    ...(result.deletion ? [manyText('Deletion of a user', result.deletion)] : []),
    ...(result.merge ? [manyText('Merge of an individual', result.merge)] : []),
    ...(result.search ? [searchText(result.search)] : []),
    ...(result.commonSearches ? [commonTable(result.commonSearches)] : []),
    ...(result.panelLists ? [listsTable(result.panelLists)] : []),
  ].join('\n\n');
}

export function markdown(head: Cells, rows: readonly Cells[]): string {
  const widths = head.map((cell, i) =>
    Math.max(cell.length, ...rows.map((row) => row[i]?.length ?? 0)),
  );
  const line = (cells: Cells): string =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`;
  const rule = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

const perSecond = (rounds: readonly Round[]): number[] => rounds.map((round) => round.perSecond);

/** The ratios of the same rounds. */
export const ratiosOf = ({ rounds }: Measurement, name: string, to: string): number[] =>
  ratios(perSecond(rounds[name] ?? []), perSecond(rounds[to] ?? []));

const middle = (rounds: readonly Round[], of: keyof Round): number =>
  median(rounds.map((round) => round[of]));

const percent = (part: number): string => `${Math.round(part * 100)} %`;

/** The ratio with the spread of the rounds. */
function ratioCell(measurement: Measurement, name: string, to: string): string {
  const all = ratiosOf(measurement, name, to);
  return `${median(all).toFixed(2)} ± ${((spread(all) * median(all)) / 2).toFixed(2)}`;
}

function ratioTable({ calls }: Result): string {
  const head = ['requests/s', 'ours', 'floor', 'stock', 'ours / floor', 'ours / stock'];
  const rows = calls.map((measurement) => [
    measurement.workload,
    ...PROGRAMS.map((name) =>
      Math.round(middle(measurement.rounds[name] ?? [], 'perSecond')).toString(),
    ),
    ratioCell(measurement, 'ours', 'floor'),
    ratioCell(measurement, 'ours', 'stock'),
  ]);
  return markdown(head, rows);
}

function callsTable({ calls }: Result): string {
  const rows = calls.flatMap((measurement) =>
    PROGRAMS.map((name) => [
      `${measurement.workload}: ${name}`,
      ...roundCells(measurement.rounds[name] ?? []),
    ]),
  );
  return markdown(['', ...ROUND_HEAD], rows);
}

const ROUND_HEAD = ['requests/s', '±', 'p50 ms', 'p99 ms', 'CPU µs', 'load'];

const roundCells = (rounds: readonly Round[]): Cells => [
  Math.round(middle(rounds, 'perSecond')).toString(),
  percent(spread(perSecond(rounds)) / 2),
  middle(rounds, 'p50').toFixed(2),
  middle(rounds, 'p99').toFixed(2),
  Math.round(middle(rounds, 'cpu')).toString(),
  percent(middle(rounds, 'load')),
];

function memoryLine({ memory }: Result): string {
  const parts = Object.entries(memory).map(
    ([name, bytes]) => `${name} ${Math.round(bytes / 2 ** 20)} MiB`,
  );
  return `Resident memory after all calls: ${parts.join(', ')}.`;
}

function growthTable(growth: readonly Measurement[]): string {
  const head = ['', ...ROUND_HEAD, 'of the first'];
  const rows = growth.flatMap((measurement) =>
    ['ours', 'floor'].flatMap((program) => {
      const names = Object.keys(measurement.rounds).filter((name) => name.startsWith(program));
      return names.map((name) => [
        `${measurement.workload}: ${name}`,
        ...roundCells(measurement.rounds[name] ?? []),
        ratioCell(measurement, name, names[0] ?? ''),
      ]);
    }),
  );
  return markdown(head, rows);
}

function startsLine({ starts }: Result): string {
  const parts = Object.entries(starts).map(
    ([name, times]) => `${name} ${Math.round(median(times))} ms`,
  );
  const [ours = [], bare = []] = Object.values(starts);
  return `From start to first answer: ${parts.join(', ')}; ratio ${median(ratios(ours, bare)).toFixed(2)}.`;
}

function accountsText(accounts: AccountsResult): string {
  const head = ['', ...ROUND_HEAD, 'of the anonymous'];
  const rows = accounts.reads.flatMap((measurement) =>
    ['anonymous', 'with a session'].map((name) => [
      `${measurement.workload}: ${name}`,
      ...roundCells(measurement.rounds[name] ?? []),
      ratioCell(measurement, name, 'anonymous'),
    ]),
  );
  const { sessions, sessionsMemory, hashes, logins, readsAlone, readsDuringLogins, refusals } =
    accounts;
  const times = (all: readonly number[]): string =>
    [0.1, 0.5, 0.9].map((part) => percentile(Float64Array.from(all), part).toFixed(0)).join('/');
  return [
    markdown(head, rows),
    `${sessions} sessions in memory: ${Math.round(sessionsMemory / 2 ** 20)} MiB.`,
    `Logins: ${logins.toFixed(1)}/s; the bare hash: ${hashes.toFixed(1)}/s; ratio ${(logins / hashes).toFixed(2)}. ` +
      `Reads within (p99): ${readsAlone.toFixed(1)} ms alone, ${readsDuringLogins.toFixed(1)} ms beside thirty logins.`,
    `Refused logins take (p10/p50/p90) ${times(refusals.known)} ms for names that somebody has, ${times(refusals.unknown)} ms for others.`,
  ].join('\n\n');
}

function assetsText(assets: AssetsResult): string {
  const { bytes, renditions, decoded, uploaded, readsAlone, readsDuringUploads } = assets;
  const rows = ['ours', 'files'].map((name) => [
    `${renditions.workload}: ${name}`,
    ...roundCells(renditions.rounds[name] ?? []),
    ratioCell(renditions, name, 'files'),
  ]);
  const part = median(ratios(uploaded, decoded)).toFixed(2);
  return [
    markdown(['', ...ROUND_HEAD, 'of the file server'], rows),
    `Uploads of ${(bytes / 1e6).toFixed(1)} MB: ${median(uploaded).toFixed(2)}/s; the decoder alone: ` +
      `${median(decoded).toFixed(2)}/s; ratio ${part}. Reads within (p99): ${readsAlone.toFixed(1)} ms alone, ` +
      `${readsDuringUploads.toFixed(1)} ms beside uploads.`,
  ].join('\n\n');
}

/** All participants of a measurement beside one of them. */
function beside(measurement: Measurement, to: string): string {
  const rows = Object.entries(measurement.rounds).map(([name, rounds]) => [
    `${measurement.workload}: ${name}`,
    ...roundCells(rounds),
    ratioCell(measurement, name, to),
  ]);
  return markdown(['', ...ROUND_HEAD, `of "${to}"`], rows);
}

const settingsText = ({ reads, creates }: SettingsResult): string =>
  [beside(reads, 'floor'), beside(creates, 'as a remark')].join('\n\n');

const microseconds = (milliseconds: readonly number[]): string =>
  (median(milliseconds) * 1000).toFixed(0);

const objectsText = ({ related, individuals, rights }: ObjectsResult): string =>
  [
    beside(related, 'floor'),
    beside(individuals, '1000 encounters'),
    `A read takes ${microseconds(rights.user)} µs by a user, ${microseconds(rights.administrator)} by an administrator, in turn on ` +
      `one connection; ratio ${median(ratios(rights.user, rights.administrator)).toFixed(3)}.`,
  ].join('\n\n');

/** The times of each question at each size, and what the last size takes of the first, in the same rounds. */
function searchText({ sizes, measurements, rest }: SearchResult): string {
  const names = sizes.map((size) => `${size} encounters`);
  const rows = measurements.map(({ workload, rounds }) => {
    const of = (name: string, part: 'p50' | 'p99'): number[] =>
      (rounds[name] ?? []).map((round) => round[part]);
    const all = ratios(of(names.at(-1) ?? '', 'p50'), of(names[0] ?? '', 'p50'));
    const cell = (name: string): string =>
      `${median(of(name, 'p50')).toFixed(2)} (${median(of(name, 'p99')).toFixed(1)})`;
    return [workload, ...names.map(cell), median(all).toFixed(2)];
  });
  const table = markdown(['search: ms, in brackets p99', ...names, 'ratio'], rows);
  if (!rest) return table;
  const { pages, exported, reads } = rest;
  return [
    table,
    `Page 1: ${pages.first.toFixed(2)} ms, page 1,000: ${pages.thousandth.toFixed(2)} ms. Export: ${exported.rows} rows, ` +
      `${(exported.rows / exported.seconds).toFixed(0)}/s, ${(exported.memory / 2 ** 20).toFixed(0)} MiB more memory. ` +
      `Reads within (p99): ${reads.alone.toFixed(1)} ms alone, ${reads.meanwhile.toFixed(1)} ms beside ten heavy searches.`,
  ].join('\n\n');
}

/** Ours by its callers and the peer: requests a second, CPU seconds for 1,000 requests, and the ratio of the same rounds. */
function commonTable({ measurements }: CommonSearchesResult): string {
  const names = Object.keys(measurements[0]?.rounds ?? {});
  const hasPeer = names.includes('peer');
  const ours = names.filter((name) => name !== 'peer');
  const head = [
    'requests/s, in brackets CPU s for 1,000',
    ...names,
    ...(hasPeer ? ours.map((name) => `${name} / peer`) : []),
  ];
  const cell = (rounds: readonly Round[]): string =>
    `${Math.round(middle(rounds, 'perSecond'))} (${(middle(rounds, 'cpu') / 1000).toFixed(2)})`;
  const rows = measurements.map((measurement) => [
    measurement.workload,
    ...names.map((name) => cell(measurement.rounds[name] ?? [])),
    ...(hasPeer ? ours.map((name) => ratioCell(measurement, name, 'peer')) : []),
  ]);
  return markdown(head, rows);
}

/** The median times, and how much longer the last takes than the first, in the same rounds. */
function listsTable({ sizes, measurements }: PanelListsResult): string {
  const names = sizes.map((size) => `${size} encounters`);
  const rows = measurements.map(({ workload, rounds }) => {
    const times = names.map((name) => (rounds[name] ?? []).map(({ p50 }) => p50));
    const all = ratios(times.at(-1) ?? [], times[0] ?? []);
    return [
      workload,
      ...times.map((one) => `${median(one).toFixed(1)} ms`),
      `${median(all).toFixed(2)} ± ${((spread(all) * median(all)) / 2).toFixed(2)}`,
    ];
  });
  return markdown(['list of the panel', ...names, 'ratio'], rows);
}

function batchText({ operations, rounds }: BatchResult): string {
  const [alone, together] = [
    rounds.map(({ oneByOne }) => oneByOne),
    rounds.map((round) => round.together),
  ];
  return (
    `${operations} creates one after the other: ${median(alone).toFixed(0)} ms; in one batch: ` +
    `${median(together).toFixed(0)} ms, ${median(ratios(alone, together)).toFixed(1)} times as fast.`
  );
}

function manyText(what: string, { encounters, rounds }: RippleResult): string {
  const ms = (of: keyof RippleResult['rounds'][number]): string =>
    `${median(rounds.map((round) => round[of])).toFixed(1)} ms`;
  return (
    `${what} with ${encounters} encounters: ${ms('took')}. Reads within (p99): ${ms('readsAlone')} alone, ` +
    `${ms('reads')} meanwhile, the longest ${ms('longestRead')}. The longest wait of a create: ${ms('longestWrite')}.`
  );
}
