/**
 * Reads objects that `@strapi/provider-upload-aws-s3` has written, with `GetObject`. Loaded only where a bucket is
 * configured: the SDK adds half a second to a start.
 */
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import type { Readable } from 'node:stream';
import { clientOptions, isDenied, type S3Environment } from './s3';
import type { Reader } from './storage';

/** Of a file that is shorter than it was, the last bytes are no range. */
const MISSING = new Set(['NoSuchKey', 'NotFound', 'InvalidRange']);

const isMissing = (error: unknown): boolean => error instanceof Error && MISSING.has(error.name);

/** The name of an object that never exists, requested to check whether the bucket answers. */
const PROBE = '.probe';

/** Milliseconds that a bucket may take to answer the check of `/_health/ready`. */
const PROMPT = 3000;

export function createS3Reader(environment: S3Environment): Reader {
  const client = new S3Client(clientOptions(environment));
  const keyOf = (name: string): string =>
    environment.prefix === '' ? name : `${environment.prefix}/${name}`;
  return {
    async read(name, range) {
      try {
        const { Body, ContentLength } = await client.send(
          new GetObjectCommand({
            Bucket: environment.bucket,
            Key: keyOf(name),
            Range: `bytes=${range.start}-${range.end}`,
          }),
        );
        const body = (Body as Readable | undefined) ?? null;
        // The server ignores ranges, or the object is not the one that was written.
        if (ContentLength === range.end - range.start + 1) return body;
        body?.destroy();
        return null;
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    async size(name) {
      try {
        const head = new HeadObjectCommand({ Bucket: environment.bucket, Key: keyOf(name) });
        return (await client.send(head)).ContentLength ?? null;
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    async *names() {
      const prefix = keyOf('');
      const list = { Bucket: environment.bucket, Prefix: prefix };
      for (let next: string | undefined, isMore = true; isMore;) {
        const page = await client.send(
          new ListObjectsV2Command({ ...list, ...(next ? { ContinuationToken: next } : {}) }),
        );
        for (const { Key = '' } of page.Contents ?? []) yield Key.slice(prefix.length);
        next = page.NextContinuationToken;
        isMore = next !== undefined;
      }
    },
    async answers() {
      const probe = new GetObjectCommand({ Bucket: environment.bucket, Key: keyOf(PROBE) });
      try {
        const { Body } = await client.send(probe, { abortSignal: AbortSignal.timeout(PROMPT) });
        (Body as Readable | undefined)?.destroy();
        return true;
      } catch (error) {
        return isMissing(error) || isDenied(error);
      }
    },
    // S3 answers when it is safe.
    settle: () => Promise.resolve(),
  };
}
