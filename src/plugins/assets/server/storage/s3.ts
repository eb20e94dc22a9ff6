/** What the operator says of a bucket, for the provider that writes to it and for what reads from it. */
import type { S3ClientConfig } from '@aws-sdk/client-s3';

/** What an operator says of the bucket. */
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

/** Milliseconds that a server has to take a connection, and that it may be silent. */
const PATIENCE = { connectionTimeout: 5000, socketTimeout: 10_000 };

/** Connections at once: a client that reads slowly keeps one for as long. */
const AGENT = { maxSockets: 500 };

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
  // By default it waits forever, and has 50 connections.
  requestHandler: { ...PATIENCE, httpAgent: AGENT, httpsAgent: AGENT },
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
