/**
 * A process that decodes images, one after the other, so that the memory, time and crashes of decoding do not affect
 * the service. It exits when it exceeds its memory; libvips works on other threads, so that this one can check.
 */
import sharp from 'sharp';
import { allowOnlyOurFormats, decode } from './decode';
import type { DecodeJob, DecodeResult } from './image';

/** Bytes of resident memory. A photograph of 24 megapixels takes some 150 MiB. */
const MAX_MEMORY = 700 * 1024 * 1024;
/** Milliseconds between two checks. */
const LOOK = 20;

sharp.cache(false);
sharp.concurrency(1);
allowOnlyOurFormats();

process.on('disconnect', () => process.exit(0));
process.on('message', (job: DecodeJob) => {
  const look = setInterval(() => {
    if (process.memoryUsage.rss() > MAX_MEMORY) process.kill(process.pid, 'SIGKILL');
  }, LOOK);
  void decode(job)
    .catch((error: unknown): DecodeResult => ({
      ok: false,
      failure: error instanceof Error ? error.message : 'a failure',
    }))
    .then((result) => {
      clearInterval(look);
      process.send?.(result);
    });
});
