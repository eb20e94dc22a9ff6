/**
 * A histogram of prom-client's format, by method and route. Its own `Histogram` looks the labels up, and makes numbers on the
 * heap, at each observation: 8 % of the processor time of the fastest requests, measured.
 */
import type { Histogram, Registry } from 'prom-client';

export interface RouteLabels {
  readonly method: string;
  readonly route: string;
}

type Names = keyof RouteLabels | 'le';
type Sample = Awaited<ReturnType<Histogram<Names>['get']>>['values'][number];

const HEAD = {
  name: 'oms_http_request_duration_seconds',
  help: 'The time from a request to the end of its answer, by route.',
  type: 'histogram',
  aggregator: 'sum',
} as const;

/** The upper bounds of the buckets, in seconds. */
export const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** The durations of one route: a number for each bucket, and for what is longer than all. */
export class RouteDurations {
  private readonly counts = new Float64Array(BUCKETS.length + 1);
  private readonly sum = new Float64Array(1);

  constructor(private readonly labels: RouteLabels) {}

  /** @param seconds since the request */
  observe(seconds: number): void {
    let at = 0;
    while (at < BUCKETS.length && seconds > (BUCKETS[at] as number)) at += 1;
    (this.counts[at] as number) += 1;
    (this.sum[0] as number) += seconds;
  }

  /** The lines of the exposition: buckets count what is in those below, too. */
  *samples(): Generator<Sample> {
    let below = 0;
    for (const [at, bound] of [...BUCKETS, '+Inf'].entries()) {
      below += this.counts[at] as number;
      yield this.sample('_bucket', below, { le: bound });
    }
    yield this.sample('_sum', this.sum[0] as number);
    yield this.sample('_count', below);
  }

  private sample(suffix: string, value: number, more: { le?: string | number } = {}): Sample {
    return { metricName: HEAD.name + suffix, value, labels: { ...more, ...this.labels } };
  }
}

/** Registers the histogram. @returns what makes the durations of a further route */
export function createDurations(register: Registry): (labels: RouteLabels) => RouteDurations {
  const routes: RouteDurations[] = [];
  const metric = {
    ...HEAD,
    get: () =>
      Promise.resolve({ ...HEAD, values: routes.flatMap((route) => [...route.samples()]) }),
  };
  // A registry asks a metric for no more than these (`durations.test.ts`), but takes only its own classes by type.
  register.registerMetric(metric as unknown as Histogram<Names>);
  return (labels) => {
    const made = new RouteDurations(labels);
    routes.push(made);
    return made;
  };
}
