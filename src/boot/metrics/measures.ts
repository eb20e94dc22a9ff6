/** Counts requests by route and status, how long they take, and refusals by their key. */
import { Counter, type Registry } from 'prom-client';
import type { ServerResponse } from 'node:http';
import type { Measures } from '../../plugins/wire/server/log';
import { routePath, type Route } from '../../plugins/wire/server/request';
import { createDurations, type RouteDurations, type RouteLabels } from './durations';

/** The labels of requests without a route: of paths that do not exist, and of the panel. */
const UNMATCHED = { method: 'any', route: 'unmatched' } as const;
const PANEL = { method: 'any', route: 'panel' } as const;

/** The status of a connection that ended before its answer. */
const ABORTED = 'aborted';

/**
 * What is counted of one route: the status is one of those that the service answers. prom-client is told when it is asked:
 * each of its own calls costs what a part of the fastest requests does.
 */
class RouteMeasures {
  readonly byStatus = new Map<string | number, number>();

  constructor(
    readonly labels: RouteLabels,
    private readonly durations: RouteDurations,
  ) {}

  ended({ statusCode, writableFinished }: ServerResponse, startedAt: number): void {
    const status = writableFinished ? statusCode : ABORTED;
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
    this.durations.observe((performance.now() - startedAt) / 1000);
  }
}

/** Measures that a registry gives. Labels are bounded: declared routes, statuses, keys of the catalogue. */
export function createMeasures(register: Registry): Measures {
  const registers = [register];
  const all: RouteMeasures[] = [];
  new Counter({
    name: 'oms_http_requests_total',
    help: 'Requests by route and status. `aborted`: the connection ended before the answer.',
    labelNames: ['method', 'route', 'status'],
    registers,
    collect() {
      this.reset();
      for (const { labels, byStatus } of all)
        for (const [status, count] of byStatus)
          this.inc({ ...labels, status: String(status) }, count);
    },
  });
  const durationsOf = createDurations(register);
  const refusals = new Counter({
    name: 'oms_refusals_total',
    help: 'Refused requests, by the key of the refusal.',
    labelNames: ['key'],
    registers,
  });
  const open = (labels: RouteLabels): RouteMeasures => {
    const made = new RouteMeasures(labels, durationsOf(labels));
    all.push(made);
    return made;
  };
  const [unmatched, panel] = [open(UNMATCHED), open(PANEL)];
  const routes = new WeakMap<Route, RouteMeasures>();
  const measuresOf = (route: Route): RouteMeasures => {
    const known = routes.get(route);
    if (known) return known;
    const made = open({ method: route.method, route: routePath(route) });
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
