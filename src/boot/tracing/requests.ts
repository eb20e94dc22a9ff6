/** Requests as spans, by the conventions of OpenTelemetry for HTTP, without addresses, queries, headers and bodies. */
import { ROOT_CONTEXT, SpanStatusCode, type Attributes, type Span } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { RequestTracer } from '../../plugins/wire/server/pipeline';
import { routePath } from '../../plugins/wire/server/request';
import type { Spans } from './spans';

const propagator = new W3CTraceContextPropagator();

const HEADERS = {
  keys: (headers: IncomingHttpHeaders): string[] => Object.keys(headers),
  get: (headers: IncomingHttpHeaders, name: string): string | string[] | undefined => headers[name],
};

/** Ends the span of a request together with its response. */
function endWith(span: Span, res: ServerResponse, attributes: () => Attributes): void {
  if (!span.isRecording()) return;
  res.on('close', () => {
    const isAborted = !res.writableFinished;
    span.setAttributes(attributes());
    if (isAborted) span.setAttribute('error.type', 'aborted');
    else span.setAttribute('http.response.status_code', res.statusCode);
    if (isAborted || res.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  });
}

export const traceRequests = (spans: Spans): RequestTracer => ({
  around(request, isOfProxy, work) {
    const { req, res, method, transactionId } = request;
    // Whoever sent the header would decide which requests are kept, and in which trace.
    const context = isOfProxy
      ? propagator.extract(ROOT_CONTEXT, req.headers, HEADERS)
      : ROOT_CONTEXT;
    const span = spans.begin(method, context);
    endWith(span, res, () => {
      const { route } = request;
      if (route) span.updateName(`${method} ${routePath(route)}`);
      return {
        'http.request.method': method,
        ...(route && { 'http.route': routePath(route) }),
        'oms.transaction_id': transactionId,
      };
    });
    return spans.within(span, work);
  },
  refusal(key) {
    spans.present?.setAttribute('oms.refusal', key);
  },
  foreign(req, res, work) {
    const method = req.method ?? 'GET';
    const span = spans.begin(`${method} panel`, ROOT_CONTEXT);
    endWith(span, res, () => ({ 'http.request.method': method, 'http.route': 'panel' }));
    spans.within(span, work);
  },
});
