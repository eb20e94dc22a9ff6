/**
 * Reads what `@strapi/provider-upload-aws-s3` has written, by `GetObject`. Loaded where there is a bucket alone: the SDK
 * costs a start half a second.
 */
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { Readable } from 'node:stream';
import { clientOptions, type S3Environment } from './s3';
import type { Reader } from './storage';

const isMissing = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NoSuchKey' || error.name === 'NotFound');

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
        // A server that knows no ranges, or a file that is not what was written.
        if (ContentLength === range.end - range.start + 1) return body;
        body?.destroy();
        return null;
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    // S3 answers when it is safe.
    settle: () => Promise.resolve(),
  };
}
