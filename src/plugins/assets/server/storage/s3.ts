/** The operator's settings of a bucket, for the provider, which writes, and for our reader. */
import type { S3ClientConfig } from '@aws-sdk/client-s3';

/** The operator's settings of a bucket. */
export interface S3Environment {
  readonly bucket: string;
  /** The endpoint of a server other than Amazon's; null for Amazon's. */
  readonly endpoint: string | null;
  readonly region: string;
  /** Null where the machine has credentials of its own. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  /** Folder in the bucket, without slashes around it. */
  readonly prefix: string;
}

/** The timeouts in milliseconds: to connect, and between two packets. */
const PATIENCE = { connectionTimeout: 5000, socketTimeout: 10_000 };

/** The maximum number of connections: a client that reads slowly occupies one. */
const AGENT = { maxSockets: 500 };

/** The configuration of the S3 client, for the provider and the reader. */
export const clientOptions = ({
  endpoint,
  region,
  credentials,
}: S3Environment): S3ClientConfig => ({
  region,
  // Servers other than Amazon's address buckets by path, and do not support the newest checksums.
  ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
  ...(credentials === null ? {} : { credentials: { ...credentials } }),
  // By default it waits forever, and has 50 connections.
  requestHandler: { ...PATIENCE, httpAgent: AGENT, httpsAgent: AGENT },
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
});

/** The error of a bucket without the right to list, for an object that does not exist. */
export const isDenied = (error: unknown): boolean =>
  error instanceof Error && error.name === 'AccessDenied';

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
