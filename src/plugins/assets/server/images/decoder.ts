/**
 * A process that decodes images, one after the other: what an image costs, and what it breaks, is here. It ends itself
 * when it takes more memory than it may; libvips works on other threads, so that this one can look.
 */
import sharp from 'sharp';
import { allowOnlyOurFormats, decode } from './decode';
import type { DecodeJob, DecodeResult } from './image';

/** Bytes of resident memory. A photograph of 24 megapixels takes some 150 MiB. */
const MAX_MEMORY = 700 * 1024 * 1024;
/** Milliseconds between two looks. */
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
