/** The upload of a form whose file becomes an asset. */
import type { Core } from '@strapi/strapi';
import { rm } from 'node:fs/promises';
import { originOf, type Caller } from '../../../core/caller';
import { ApiError, fail, malformed, type Issue } from '../../../core/errors';
import type { Transfer } from '../../../core/admission';
import { errorCode } from '../../../core/start-error';
import { inspectJson } from '../../../core/text';
import { registryOf, siteOf } from '../../objects/server';
import type { Resource } from '../../objects/server/declare/completed';
import { definitionOf } from '../../objects/server/kinds';
import type { Body } from '../../objects/server/declare/objects';
import { readForm, type Form } from '../../wire/server/form';
import type { ApiRequest } from '../../wire/server/request';
import { assetsOf } from '.';
import type { Added } from './assets';

/** Takes in an upload. @param invalid what is wrong already @throws ApiError */
export async function upload(
  strapi: Core.Strapi,
  request: ApiRequest,
  caller: Caller,
  invalid: readonly Issue[],
): Promise<Added> {
  const transfer = assetsOf(strapi).uploads.enter(originOf(caller));
  // Whoever sends slowly, and waits for a decoder, takes nobody's place.
  return caller.wait(
    takeIn(strapi, request, caller, transfer, invalid).finally(() => transfer.leave()),
  );
}

async function takeIn(
  strapi: Core.Strapi,
  request: ApiRequest,
  caller: Caller,
  transfer: Transfer,
  invalid: readonly Issue[],
): Promise<Added> {
  const { assets, folder } = assetsOf(strapi);
  const form = await received(strapi, request, folder, transfer);
  transfer.settle();
  try {
    const { resource } = registryOf(strapi).model().type('asset');
    const body = bodyOf(form, resource);
    const issues = [...invalid, ...form.issues];
    // Refused before anything else sees it, as in a body of JSON.
    const unsafe = inspectJson({ filename: form.file?.name, ...body });
    if (unsafe.length > 0) throw malformed([...issues, ...unsafe]);
    return await assets.add(form.file, body, caller, issues);
  } finally {
    if (form.file) await rm(form.file.path, { force: true });
  }
}

/** What a disk says that takes no more. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EFBIG', 'EMFILE', 'ENFILE']);

async function received(
  strapi: Core.Strapi,
  request: ApiRequest,
  folder: string,
  transfer: Transfer,
): Promise<Form> {
  try {
    return await readForm(request, folder, siteOf(strapi).current().maxUploadBytes, transfer);
  } catch (error) {
    if (error instanceof ApiError || !FULL.has(errorCode(error))) throw error;
    strapi.log.error(`assets: an upload cannot be taken in: ${errorCode(error)}`);
    throw fail('UNAVAILABLE', {}, { 'Retry-After': '60' });
  }
}

/** The parts of a form as a body: an empty input says nothing, and what is no text is JSON. */
function bodyOf({ fields }: Form, { fields: known }: Resource): Body {
  const given = Object.entries(fields).filter(([, text]) => text !== '');
  return Object.fromEntries(
    given.map(([name, text]) => {
      const field = known.get(name);
      const isJson = field !== undefined && definitionOf(field.kind).json === 'json';
      return [name, isJson ? parsed(text) : text];
    }),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
