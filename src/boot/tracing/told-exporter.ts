/** Tells the log which spans a collector has not taken: they are left out. */
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { errorText } from '../../core/start-error';

/** Milliseconds between two lines: a collector may be away for hours. */
const PAUSE = 60_000;

export class ToldExporter implements SpanExporter {
  private lost = 0;
  private reason = '';
  private toldAt = -Infinity;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly warn: (message: string) => void,
    private readonly clock: () => number = Date.now,
  ) {}

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.exporter.export(spans, (result) => {
      if (result.code === ExportResultCode.SUCCESS) this.tell();
      else this.failed(spans.length, result.error);
      done(result);
    });
  }

  async shutdown(): Promise<void> {
    await this.exporter.shutdown();
    this.tell();
  }

  private failed(count: number, error: Error | undefined): void {
    this.lost += count;
    this.reason = errorText(error ?? new Error('without a reason'));
    if (this.clock() - this.toldAt >= PAUSE) this.tell();
  }

  private tell(): void {
    if (this.lost === 0) return;
    this.warn(
      `traces: the collector has not taken ${this.lost} spans (${this.reason}); they are left out`,
    );
    this.lost = 0;
    this.toldAt = this.clock();
  }
}
