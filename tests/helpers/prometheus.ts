import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Metrics as Prometheus reads them (https://prometheus.io/docs/instrumenting/exposition_formats/). */
export interface Scraped {
  /** All names that a query may use, of histograms those of their series. */
  readonly names: ReadonlySet<string>;
  /** The labels of a metric, over all of its series. */
  labelsOf(name: string): ReadonlySet<string>;
  /** The value of the series with exactly these labels. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
  readonly series: number;
}

const SERIES = /^([a-z_][a-z_0-9]*)(?:\{(.*)\})? (\S+)$/;

const labelsIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name, value]),
  ) as Record<string, string>;

/** @throws Error for a line that is no comment and no series */
export function readMetrics(text: string): Scraped {
  const names = new Set<string>();
  const all: { name: string; labels: Record<string, string>; value: number }[] = [];
  for (const line of text.split('\n')) {
    const [, declared = '', type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (declared !== '') {
      names.add(declared);
      if (type === 'histogram')
        for (const end of ['bucket', 'sum', 'count']) names.add(`${declared}_${end}`);
    }
    if (line === '' || line.startsWith('#')) continue;
    const [, name, labels = '', value] = SERIES.exec(line) ?? [];
    if (name === undefined) throw new Error(`no series: ${line}`);
    all.push({ name, labels: labelsIn(labels), value: Number(value) });
  }
  const same = (one: object, other: object): boolean =>
    JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());
  return {
    names,
    labelsOf: (name) =>
      new Set(all.flatMap((one) => (one.name === name ? Object.keys(one.labels) : []))),
    value: (name, labels = {}) =>
      all.find((one) => one.name === name && same(one.labels, labels))?.value,
    series: all.length,
  };
}

/** The names of metrics in the expressions of Prometheus: of ours, of Node and of the process. */
const NAMES = /\b(?:oms|nodejs|process)_[a-z_0-9]+\b/g;

export const namesIn = (text: string): string[] => [...new Set(text.match(NAMES) ?? [])].sort();

/** A file of `deploy`. */
export const deployed = (name: string): string =>
  readFileSync(join(__dirname, '..', '..', 'deploy', name), 'utf8');
