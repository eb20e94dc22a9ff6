import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { ToldExporter } from './told-exporter';

const spansOf = (count: number): ReadableSpan[] => Array<ReadableSpan>(count);

test('what a collector has not taken is counted, and told at most once in a minute', async () => {
  let [now, result]: [number, ExportResult] = [
    0,
    { code: ExportResultCode.FAILED, error: new Error('connect\n  ECONNREFUSED') },
  ];
  const lines: string[] = [];
  const done: ExportResult[] = [];
  const exporter = new ToldExporter(
    { export: (_, end) => end(result), shutdown: () => Promise.resolve() },
    (line) => lines.push(line),
    () => now,
  );
  const send = (count: number): void => exporter.export(spansOf(count), (end) => done.push(end));
  const told = (count: number): string =>
    `traces: the collector has not taken ${count} spans (connect ECONNREFUSED); they are left out`;
  send(3);
  expect(lines).toEqual([told(3)]);
  now = 59_999;
  send(4);
  expect(lines).toHaveLength(1);
  now = 60_000;
  send(5);
  expect(lines).toEqual([told(3), told(9)]);
  // What is left is told when it is taken again, and at the end.
  now = 60_001;
  send(6);
  result = { code: ExportResultCode.SUCCESS };
  send(7);
  expect(lines.at(-1)).toBe(told(6));
  send(8);
  await exporter.shutdown();
  expect(lines).toHaveLength(3);
  expect(done.map(({ code }) => code)).toEqual([1, 1, 1, 1, 0, 0]);
});
