/** Photographs that are added other than by an upload: from an imported package, or by the demo. */
import type { Core } from '@strapi/strapi';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Caller } from '../../../core/caller';
import { siteOf } from '../../objects/server';
import type { Body } from '../../objects/server/declare/objects';
import { writeTo } from '../../wire/server/form';
import { assetsOf } from '.';

/**
 * Makes an asset of the bytes of an image.
 *
 * @param body the other fields of the asset, by their names on the wire
 * @param caller who creates it
 * @returns its ID
 * @throws ApiError BODY_TOO_LARGE for more than the site allows, and the refusals of `Assets.add`
 */
export async function addStream(
  strapi: Core.Strapi,
  stream: Readable,
  body: Body,
  caller: Caller,
): Promise<string> {
  const { assets, folder } = assetsOf(strapi);
  const path = join(folder, randomUUID());
  const file = await writeTo(path, stream, siteOf(strapi).current().maxUploadBytes);
  try {
    return (await assets.add({ ...file, name: null }, body, caller)).id;
  } finally {
    await rm(path, { force: true });
  }
}
