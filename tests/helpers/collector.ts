import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { asObject, at, parsed, type Json } from './json';

/** A span as a collector is told of it. */
export interface SeenSpan {
  readonly name: string;
  /** 1: of this process, 2: a request that it answers, 3: of another program that it waits for. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first one of a trace. */
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 2: it has failed. */
  readonly status: number;
}

/** A collector of traces (OTLP over HTTP, as JSON), and the variables by which the service sends them there. */
export interface Collector {
  readonly env: Readonly<Record<string, string>>;
  /** All bytes that it has been sent. */
  text(): string;
  spans(): SeenSpan[];
  /** What is said of the service. */
  resource(): Readonly<Record<string, unknown>>;
  close(): Promise<void>;
}

const items = (value: unknown): Json[] => (Array.isArray(value) ? value.map(asObject) : []);

/** Attributes by their names; a whole number is a text in JSON. */
const attributesOf = (value: unknown): Record<string, unknown> =>
  Object.fromEntries(
    items(value).map(({ key, value: given }) => {
      const { stringValue, intValue } = asObject(given);
      return [String(key), stringValue ?? Number(intValue)];
    }),
  );

const spanOf = ({ parentSpanId, ...span }: Json): SeenSpan => ({
  name: String(span['name']),
  kind: Number(span['kind']),
  traceId: String(span['traceId']),
  spanId: String(span['spanId']),
  parentSpanId: typeof parentSpanId === 'string' ? parentSpanId : '',
  attributes: attributesOf(span['attributes']),
  status: Number(at(span, 'status', 'code') ?? 0),
});

export async function startCollector(): Promise<Collector> {
  const bodies: string[] = [];
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      const isTraces = req.method === 'POST' && req.url === '/v1/traces';
      if (isTraces) bodies.push(body);
      res.writeHead(isTraces ? 200 : 404, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const all = (): Json[] => bodies.flatMap((body) => items(at(parsed(body), 'resourceSpans')));
  return {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    },
    text: () => bodies.join('\n'),
    spans: () =>
      all()
        .flatMap(({ scopeSpans }) => items(scopeSpans))
        .flatMap(({ spans }) => items(spans).map(spanOf)),
    resource: () => attributesOf(at(all()[0], 'resource', 'attributes')),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
