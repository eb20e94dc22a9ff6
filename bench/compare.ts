/** Compares two results. */
import type { Measurement, Result, Round } from './result';
import { median } from './statistics';
import { markdown, ratiosOf } from './table';

const ours = ({ rounds }: Measurement, of: keyof Round): number =>
  median((rounds['ours'] ?? []).map((round) => round[of]));

const ofFloor = (measurement: Measurement): number =>
  median(ratiosOf(measurement, 'ours', 'floor'));

const change = (before: number, after: number): string => {
  const percent = Math.round((after / before - 1) * 100);
  return `${percent > 0 ? '+' : ''}${percent} %`;
};

/**
 * The differences. Requests per second depend on the machine and its load; the ratio to the floor, which ran in the
 * same rounds, depends on them less.
 */
export function compare(before: Result, after: Result): string {
  const rows = after.calls.flatMap((now) => {
    const then = before.calls.find(({ workload }) => workload === now.workload);
    if (!then) return [];
    const beside = (of: (measurement: Measurement) => number, digits: number): string[] => {
      const [was, is] = [of(then), of(now)];
      return [was.toFixed(digits), is.toFixed(digits), change(was, is)];
    };
    return [
      [
        now.workload,
        ...beside(ofFloor, 2),
        ...beside((measurement) => ours(measurement, 'cpu'), 0),
        ...beside((measurement) => ours(measurement, 'perSecond'), 0),
      ],
    ];
  });
  const sides = (title: string): string[] => [`${title} before`, 'after', ''];
  const head = ['', ...sides('of the floor'), ...sides('CPU µs'), ...sides('requests/s')];
  const differing = (['node', 'cpu'] as const).filter(
    (name) => before.machine[name] !== after.machine[name],
  );
  const warnings = differing.map(
    (name) => `Not the same ${name}: ${before.machine[name]}, ${after.machine[name]}.`,
  );
  return [
    `Before: ${before.commit}; after: ${after.commit}.`,
    markdown(head, rows),
    ...warnings,
  ].join('\n\n');
}
