/** The variables for uploads in a bucket. */
import { string } from 'yup';
import { StartError } from '../core/start-error';
import type { S3Environment } from '../plugins/assets/server/storage/s3';
import { httpAddress, withoutSlash, type Variable } from './variable';

export const S3_VARIABLES = {
  S3_BUCKET: {
    schema: string().matches(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/),
    expected: 'the name of a bucket',
  },
  S3_ENDPOINT: {
    schema: string().test(httpAddress),
    expected: 'an http or https address, such as https://s3.example.org',
  },
  S3_REGION: {
    schema: string().matches(/^[a-z0-9-]{1,40}$/),
    expected: 'a region, such as eu-west-1',
  },
  S3_PREFIX: {
    schema: string().matches(/^[\w-]+(\/[\w-]+)*$/),
    expected: 'a folder in the bucket, such as uploads',
  },
  S3_ACCESS_KEY_ID: { schema: string(), expected: 'the ID of a key', secret: true },
  S3_SECRET_ACCESS_KEY: { schema: string(), expected: 'the secret of a key', secret: true },
} satisfies Record<string, Variable<unknown>>;

type Given = Readonly<
  Record<'bucket' | 'endpoint' | 'region' | 'prefix' | 'key' | 'secret', string | undefined>
>;

/** Null for local files. @throws StartError for variables without a bucket, or an incomplete set */
export function s3Of(given: Given): S3Environment | null {
  const { bucket, endpoint, region, prefix, key, secret } = given;
  if (bucket === undefined) {
    if (Object.values(given).every((value) => value === undefined)) return null;
    throw new StartError(
      'S3_ENDPOINT, S3_REGION, S3_PREFIX and the S3 keys need S3_BUCKET, which is empty.',
    );
  }
  if ((key === undefined) !== (secret === undefined))
    throw new StartError('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY want each other.');
  return {
    bucket,
    endpoint: endpoint === undefined ? null : withoutSlash(endpoint),
    region: region ?? 'us-east-1',
    credentials:
      key === undefined || secret === undefined
        ? null
        : { accessKeyId: key, secretAccessKey: secret },
    prefix: prefix ?? '',
  };
}
