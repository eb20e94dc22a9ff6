/**
 * A process that decodes images, one after the other, so that the memory, time and crashes of decoding do not affect
 * the service. It exits when it exceeds its memory or time; libvips works on other threads, so that this one can check.
 */
import sharp from 'sharp';
import { outliveSignals } from '../../../../core/process-pool';
import { allowOnlyOurFormats, decode } from './decode';
import type { DecodeJob, DecodeResult } from './image';

/** Bytes of resident memory. A photograph of 24 megapixels takes some 150 MiB. */
const MAX_MEMORY = 700 * 1024 * 1024;
/** Milliseconds between two checks. */
const LOOK = 20;

sharp.cache(false);
sharp.concurrency(1);
allowOnlyOurFormats();

/** Milliseconds of the processor that reading a header may take. */
const MAX_HEADER_TIME = 5_000;

outliveSignals();
process.on('message', (job: DecodeJob) => {
  let deadline = processorTime() + MAX_HEADER_TIME;
  // No job: it watches this process alone, and only while it decodes.
  const look = setInterval(() => {
    if (process.memoryUsage.rss() > MAX_MEMORY || processorTime() > deadline)
      process.kill(process.pid, 'SIGKILL');
  }, LOOK);
  void decode(job, (milliseconds) => (deadline = processorTime() + milliseconds))
    .catch((error: unknown): DecodeResult => ({
      ok: false,
      failure: error instanceof Error ? error.message : 'a failure',
    }))
    .then((result) => {
      clearInterval(look);
      process.send?.(result);
    });
});

/** The milliseconds of the processor that this process has used: on a busy machine an image may wait for long. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
