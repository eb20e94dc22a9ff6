/** Two results beside each other. */
import type { Result } from './result';
import { median } from './statistics';
import { markdown, ratioOf } from './table';

/**
 * What has changed. Requests per second depend on the machine and on the day; the part of the floor,
 * which ran beside it each time, does less.
 */
export function compare(before: Result, after: Result): string {
  const rows = after.calls.flatMap((now) => {
    const then = before.calls.find(({ workload }) => workload === now.workload);
    if (!then) return [];
    const [was, is] = [ratioOf(then, 'ours', 'floor'), ratioOf(now, 'ours', 'floor')];
    const rate = ({ rounds }: typeof now): number =>
      median((rounds['ours'] ?? []).map(({ perSecond }) => perSecond));
    return [
      [
        now.workload,
        ...[rate(then), rate(now)].map((value) => Math.round(value).toString()),
        ...[was, is].map((value) => value.toFixed(2)),
        `${is >= was ? '+' : ''}${Math.round((is / was - 1) * 100)} %`,
      ],
    ];
  });
  const head = ['', `${before.commit}/s`, `${after.commit}/s`, 'of floor', 'of floor', 'change'];
  const differs = (['node', 'cpu'] as const).filter(
    (name) => before.machine[name] !== after.machine[name],
  );
  const warning = differs.map(
    (name) => `Not the same ${name}: ${before.machine[name]}, ${after.machine[name]}.`,
  );
  return [markdown(head, rows), ...warning].join('\n\n');
}
