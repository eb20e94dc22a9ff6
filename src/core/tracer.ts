/** Spans of what the service does, for traces (`boot/tracing`). */

/** By the names of OpenTelemetry's conventions: nothing that a caller gave, and nothing of an object. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

export interface SpanAbout {
  readonly name: string;
  /** `client`: another program does it, and this one waits. */
  readonly kind: 'client' | 'internal';
  /** Asked for a span that is kept. */
  readonly attributes?: () => SpanAttributes;
}

export interface StartedSpan {
  /** A span below this one. */
  child(about: SpanAbout): StartedSpan;
  /** @param error what it has failed with, of which its code is told */
  end(error?: unknown): void;
}

export interface Tracer {
  /**
   * Runs work, which may return a promise, as a span below that of the work in which it is begun; as it is where that is no
   * part of a trace.
   */
  span<T>(about: SpanAbout, work: (span: StartedSpan) => T): T;
  /** Runs work as the first span of a trace of its own. */
  root<T>(about: SpanAbout, work: () => T): T;
}

interface Configured {
  readonly config: { get<T>(key: string, otherwise: T): T };
}

/** The tracer of a running Strapi; null unless the operator has asked for traces. */
export const tracerOf = ({ config }: Configured): Tracer | null =>
  config.get<Tracer | null>('oms.tracer', null);

/** The same object, of which each call of these methods is a span. */
export function traceCalls<T extends object>(
  target: T,
  names: readonly (keyof T)[],
  about: (name: keyof T) => SpanAbout,
  tracer: Tracer | null,
): T {
  if (!tracer) return target;
  for (const name of names) {
    const method = target[name] as (...args: unknown[]) => unknown;
    const traced = (...args: unknown[]): unknown =>
      tracer.span(about(name), () => method.apply(target, args));
    target[name] = traced as T[keyof T];
  }
  return target;
}
