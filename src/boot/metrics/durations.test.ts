import { Histogram, Registry } from 'prom-client';
import { BUCKETS, createDurations } from './durations';

test('is what prom-client’s own histogram tells of the same requests', async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const open = createDurations(ours);
  const histogram = new Histogram({
    name: 'oms_http_request_duration_seconds',
    help: 'The time from a request to the end of its answer, by route.',
    labelNames: ['method', 'route'],
    buckets: BUCKETS,
    registers: [theirs],
  });
  for (const [route, durations] of [
    ['/api/v0/encounter/{id}', [0, 0.005, 0.0051, 0.3, 10, 10.5, 60]],
    ['panel', [2.5]],
  ] as const) {
    const labels = { method: 'any', route };
    const opened = open(labels);
    for (const seconds of durations) {
      opened.observe(seconds);
      histogram.observe(labels, seconds);
    }
  }
  expect(await ours.metrics()).toBe(await theirs.metrics());
  expect(await ours.metrics()).toContain('_count{method="any",route="/api/v0/encounter/{id}"} 7');
});
