/** The spans of a tracer of OpenTelemetry, and which of them the present work is a part of. */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type Tracer as SpanMaker,
} from '@opentelemetry/api';
import { ApiError } from '../../core/errors';
import { isLater } from '../../core/soon';
import { errorCode } from '../../core/start-error';
import type { StartedSpan, SpanAbout, Tracer } from '../../core/tracer';

const KINDS = { client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

/** Of work that is no part of a trace. */
const NO_SPAN: StartedSpan = { child: () => NO_SPAN, end: () => undefined };

export class Spans implements Tracer {
  private readonly storage = new AsyncLocalStorage<Span>();

  constructor(private readonly maker: SpanMaker) {}

  /** The span that the present work is a part of, if it is kept. */
  get present(): Span | undefined {
    const span = this.storage.getStore();
    return span?.isRecording() ? span : undefined;
  }

  /** Starts the span of a request. @param context where its trace has begun */
  begin(name: string, context: Context): Span {
    return this.maker.startSpan(name, { kind: SpanKind.SERVER }, context);
  }

  within<T>(span: Span, work: () => T): T {
    return this.storage.run(span, work);
  }

  span<T>(about: SpanAbout, work: (span: StartedSpan) => T): T {
    const { present } = this;
    return present ? this.run(this.start(about, below(present)), work) : work(NO_SPAN);
  }

  root<T>(about: SpanAbout, work: () => T): T {
    return this.run(this.start(about, ROOT_CONTEXT), work);
  }

  private start({ name, kind, attributes }: SpanAbout, context: Context): Span {
    const span = this.maker.startSpan(name, { kind: KINDS[kind] }, context);
    if (attributes && span.isRecording()) span.setAttributes(attributes());
    return span;
  }

  private run<T>(span: Span, work: (span: StartedSpan) => T): T {
    const open = this.opened(span);
    try {
      const result = this.within(span, () => work(open));
      if (isLater(result))
        void result.then(
          () => open.end(),
          (error: unknown) => open.end(error),
        );
      else open.end();
      return result;
    } catch (error) {
      open.end(error);
      throw error;
    }
  }

  private opened(span: Span): StartedSpan {
    if (!span.isRecording()) return NO_SPAN;
    return {
      child: (about) => this.opened(this.start(about, below(span))),
      end(...errors) {
        for (const error of errors) fail(span, error);
        span.end();
      },
    };
  }
}

const below = (span: Span): Context => trace.setSpan(ROOT_CONTEXT, span);

/** Neither the text of an error nor its stack, which may have values. A refusal is no failure. */
function fail(span: Span, error: unknown): void {
  if (error instanceof ApiError && error.status < 500) return;
  const code = error instanceof ApiError ? error.key : errorCode(error);
  const name = error instanceof Error ? error.name : 'unknown';
  span.setAttribute('error.type', code === 'unknown' ? name : code);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
