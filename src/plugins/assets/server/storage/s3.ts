/** Reads what `@strapi/provider-upload-aws-s3` has written, by `GetObject`. */
import { GetObjectCommand, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { Readable } from 'node:stream';
import type { Reader } from './storage';

/** What an operator says of the bucket. */
export interface S3Environment {
  readonly bucket: string;
  /** Of a server that is none of Amazon's; null for theirs. */
  readonly endpoint: string | null;
  readonly region: string;
  /** Null where the machine has credentials of its own. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  /** Folder in the bucket, without slashes around it. */
  readonly prefix: string;
}

/** How bucket and server are talked to, for the provider and the reader alike. */
export const clientOptions = ({
  endpoint,
  region,
  credentials,
}: S3Environment): S3ClientConfig => ({
  region,
  // Servers other than Amazon's know buckets by paths, and no checksums of the newest kind.
  ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
  ...(credentials === null ? {} : { credentials: { ...credentials } }),
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
});

/** The configuration of Strapi's upload plugin. */
export const s3Provider = (environment: S3Environment) => ({
  provider: 'aws-s3',
  providerOptions: {
    rootPath: environment.prefix,
    s3Options: {
      ...clientOptions(environment),
      // What is in the bucket is nobody's to read but this service's: no ACL makes it public.
      params: { Bucket: environment.bucket, ACL: undefined },
    },
  },
});

const isMissing = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NoSuchKey' || error.name === 'NotFound');

export function createS3Reader(environment: S3Environment): Reader {
  const client = new S3Client(clientOptions(environment));
  const keyOf = (name: string): string =>
    environment.prefix === '' ? name : `${environment.prefix}/${name}`;
  return {
    async read(name, range) {
      try {
        const { Body } = await client.send(
          new GetObjectCommand({
            Bucket: environment.bucket,
            Key: keyOf(name),
            Range: `bytes=${range.start}-${range.end}`,
          }),
        );
        return (Body as Readable | undefined) ?? null;
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    // S3 answers when it is safe.
    settle: () => Promise.resolve(),
  };
}
