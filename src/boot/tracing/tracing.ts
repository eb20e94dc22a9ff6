/**
 * Traces for OpenTelemetry, loaded only where the operator has named a collector. Nothing is registered globally, so that no
 * library adds spans of its own.
 */
import { diag, DiagLogLevel } from '@opentelemetry/api';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tracer } from '../../core/tracer';
import type { RequestTracer } from '../../plugins/wire/server/pipeline';
import type { TracingEnvironment } from '../operating-environment';
import { releaseVersion } from '../release';
import { traceRequests } from './requests';
import { Spans } from './spans';
import { ToldExporter } from './told-exporter';

/** Milliseconds that the last spans may take at the end. */
const LAST = 3000;

export interface Tracing extends Tracer {
  readonly requests: RequestTracer;
  /** Sends what is left, for some seconds at the most. */
  close(): Promise<void>;
}

/** It reads address, headers, timeout and compression from OTEL_EXPORTER_OTLP_* itself. */
async function exporterOf({ protocol }: TracingEnvironment): Promise<SpanExporter> {
  const { OTLPTraceExporter } = await (protocol === 'http/json'
    ? import('@opentelemetry/exporter-trace-otlp-http')
    : import('@opentelemetry/exporter-trace-otlp-proto'));
  return new OTLPTraceExporter();
}

/** Starts to send spans, which are sampled as OTEL_TRACES_SAMPLER says. @param warn told of what is left out */
export async function startTracing(
  environment: TracingEnvironment,
  warn: (message: string) => void,
): Promise<Tracing> {
  const nothing = (): void => undefined;
  const log = (message: string): void => warn(`traces: ${message}`);
  diag.setLogger(
    { error: log, warn: log, info: nothing, debug: nothing, verbose: nothing },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  // The exporter tells it.
  setGlobalErrorHandler(nothing);
  const exporter = new ToldExporter(await exporterOf(environment), warn);
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'object-management-service',
      'service.version': releaseVersion(),
    }).merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const spans = new Spans(provider.getTracer('object-management-service'));
  return {
    span: (about, work) => spans.span(about, work),
    root: (about, work) => spans.root(about, work),
    requests: traceRequests(spans),
    async close() {
      const sent = provider.shutdown().then(() => true, nothing);
      const isSent = await Promise.race([sent, sleep(LAST, false, { ref: false })]);
      if (isSent === false) log('the last spans could not be sent in time; they are left out');
      diag.disable();
    },
  };
}
