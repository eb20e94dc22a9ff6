/** A photograph that comes from another file than an upload: one of a package that is imported. */
import type { Core } from '@strapi/strapi';
import { createHash, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Caller } from '../../../core/caller';
import { fail } from '../../../core/errors';
import { siteOf } from '../../objects/server';
import type { Body } from '../../objects/server/types';
import { assetsOf } from '.';

/** Makes an asset of a stream. @returns its ID @throws ApiError as any upload */
export async function addStream(
  strapi: Core.Strapi,
  stream: Readable,
  body: Body,
  caller: Caller,
): Promise<string> {
  const { assets, folder } = assetsOf(strapi);
  const max = siteOf(strapi).current().maxUploadBytes;
  const path = join(folder, randomUUID());
  const hash = createHash('sha256');
  let size = 0;
  try {
    await pipeline(
      stream,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          size += chunk.length;
          if (size > max) throw fail('BODY_TOO_LARGE', { max });
          hash.update(chunk);
          yield chunk;
        }
      },
      createWriteStream(path, { flags: 'wx', mode: 0o600 }),
    );
    const file = { path, size, sha256: hash.digest('hex'), name: null };
    return (await assets.add(file, body, caller)).id;
  } finally {
    await rm(path, { force: true });
  }
}
