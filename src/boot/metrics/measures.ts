/** Counts requests by route and status, how long they take, and refusals by their key. */
import { Counter, Histogram, type Registry } from 'prom-client';
import type { ServerResponse } from 'node:http';
import type { Measures } from '../../plugins/wire/server/log';
import type { Route } from '../../plugins/wire/server/request';

/** Seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** The labels of requests without a route: of paths that do not exist, and of the panel. */
const UNMATCHED = { method: 'any', route: 'unmatched' } as const;
const PANEL = { method: 'any', route: 'panel' } as const;

/** The status of a connection that ended before its answer. */
const ABORTED = 'aborted';

/** What is counted of one route: the status is one of those that the service answers. */
class RouteMeasures {
  private readonly counters = new Map<string | number, { inc(): void }>();
  private readonly seconds: { observe(value: number): void };

  constructor(
    private readonly labels: { readonly method: string; readonly route: string },
    private readonly requests: Counter<'method' | 'route' | 'status'>,
    durations: Histogram<'method' | 'route'>,
  ) {
    this.seconds = durations.labels(labels);
  }

  ended({ statusCode, writableFinished }: ServerResponse, startedAt: number): void {
    const status = writableFinished ? statusCode : ABORTED;
    let counter = this.counters.get(status);
    if (!counter) {
      counter = this.requests.labels({ ...this.labels, status: String(status) });
      this.counters.set(status, counter);
    }
    counter.inc();
    this.seconds.observe((performance.now() - startedAt) / 1000);
  }
}

/** Measures that a registry gives. Labels are bounded: declared routes, statuses, keys of the catalogue. */
export function createMeasures(register: Registry): Measures {
  const registers = [register];
  const requests = new Counter({
    name: 'oms_http_requests_total',
    help: 'Requests by route and status. `aborted`: the connection ended before the answer.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'oms_http_request_duration_seconds',
    help: 'The time from a request to the end of its answer, by route.',
    labelNames: ['method', 'route'],
    buckets: BUCKETS,
    registers,
  });
  const refusals = new Counter({
    name: 'oms_refusals_total',
    help: 'Refused requests, by the key of the refusal.',
    labelNames: ['key'],
    registers,
  });
  const open = (labels: { method: string; route: string }): RouteMeasures =>
    new RouteMeasures(labels, requests, durations);
  const [unmatched, panel] = [open(UNMATCHED), open(PANEL)];
  const routes = new WeakMap<Route, RouteMeasures>();
  const measuresOf = (route: Route): RouteMeasures => {
    const known = routes.get(route);
    if (known) return known;
    const path = `/api${route.path.replace(/:(\w+)/g, '{$1}')}`;
    const made = open({ method: route.method, route: path });
    routes.set(route, made);
    return made;
  };
  return {
    request({ route, startedAt, res }) {
      (route ? measuresOf(route) : unmatched).ended(res, startedAt);
    },
    refusal: (key) => refusals.inc({ key }),
    foreign(res, startedAt) {
      res.on('close', () => panel.ended(res, startedAt));
    },
  };
}
