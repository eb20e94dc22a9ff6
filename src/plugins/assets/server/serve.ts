/** Answers with the bytes of an asset; the caller's rights decide which file. */
import type { Core } from '@strapi/strapi';
import { hash } from 'node:crypto';
import type { Caller } from '../../../core/caller';
import { fail, issue, malformed, type Issue } from '../../../core/errors';
import { errorText } from '../../../core/start-error';
import { objectsOf } from '../../objects/server';
import {
  RENDITION_NAMES,
  RENDITION_TYPE,
  type RenditionName,
} from '../../objects/server/kinds/renditions';
import type { Body } from '../../objects/server/declare/objects';
import { isKnown } from '../../wire/server/etag';
import { rangeOf, type ByteRange } from '../../wire/server/ranges';
import type { Answer, ApiRequest, Bytes } from '../../wire/server/request';
import { assetsOf } from '.';
import { originalName, renditionName } from './assets';

/** What has to be known of an asset. */
const FIELDS = [
  'id',
  'file_key',
  'filename',
  'mime_type',
  'size',
  ...RENDITION_NAMES.map((name) => `${name}_size`),
];

/** To be increased when renditions are made in another way. */
const EDITION = 1;

/** Seconds for which a client may cache a public rendition without revalidation. */
const PUBLIC_AGE = 300;

/** One of the files of an asset. */
interface AssetFile {
  readonly name: string;
  readonly size: number;
  readonly type: string;
  readonly disposition: string;
}

/** Answers the bytes that are asked for. @throws ApiError */
export async function answerFile(
  strapi: Core.Strapi,
  request: ApiRequest,
  caller: Caller,
): Promise<Answer> {
  const id = request.params['id'] ?? '';
  const { size, invalid } = sizeOf(request);
  const { object, may } = await objectsOf(strapi).inspect('asset', id, caller, FIELDS);
  if (invalid.length > 0) throw malformed(invalid);
  const file =
    size === null && may('original') ? originalOf(object) : renditionOf(object, size ?? 'large');
  const etag = `"${hash('sha1', `${EDITION} ${file.name}`, 'base64url')}"`;
  const headers = {
    ETag: etag,
    'Accept-Ranges': 'bytes',
    'Cache-Control': cacheControl(size, caller),
    'Content-Disposition': file.disposition,
  };
  if (isKnown(request.req.headers['if-none-match'], etag)) return { status: 304, headers };
  const read = (range: ByteRange): Promise<Content> =>
    // Whoever waits for a bucket takes nobody's place.
    caller.wait(contentOf(strapi, id, file, range));
  return withContent(request, file, headers, read);
}

/** Only what anybody is given may be kept by others; of all else it is asked each time whether it may still be seen. */
const cacheControl = (size: RenditionName | null, caller: Caller): string =>
  size !== null && caller.role === 'anonymous' && caller.claims.length === 0
    ? `public, max-age=${PUBLIC_AGE}`
    : 'private, no-cache';

async function withContent(
  { method, req }: ApiRequest,
  { size, type }: AssetFile,
  headers: Readonly<Record<string, string>> & { readonly ETag: string },
  read: (range: ByteRange) => Promise<Content>,
): Promise<Answer> {
  if (method === 'HEAD') return { headers, bytes: { type, length: size, content: null } };
  const range = rangeOf(req.headers, size, headers.ETag);
  const { start, end } = range ?? { start: 0, end: size - 1 };
  const bytes = { type, length: end - start + 1, content: await read({ start, end }) };
  if (!range) return { headers, bytes };
  const part = { 'Content-Range': `bytes ${start}-${end}/${size}` };
  return { status: 206, headers: { ...headers, ...part }, bytes };
}

type Content = NonNullable<Bytes['content']>;

/** @throws ApiError ENTITY_NOT_FOUND for a file that has vanished, UNAVAILABLE where the storage cannot be read */
async function contentOf(
  strapi: Core.Strapi,
  id: string,
  { name, size }: AssetFile,
  range: ByteRange,
): Promise<Content> {
  const { storage } = assetsOf(strapi);
  const content = await storage.read(name, range, size).catch((error: unknown) => {
    const event = 'asset_storage_away';
    strapi.log.error('the storage cannot be read', { event, reason: errorText(error) });
    throw fail('UNAVAILABLE', {}, { 'Retry-After': '60' });
  });
  if (content) return content;
  const event = 'asset_file_missing';
  strapi.log.error('the storage lacks a file of an asset', { event, reason: `${name} of ${id}` });
  throw fail('ENTITY_NOT_FOUND', { type: 'asset', id });
}

function sizeOf({ query }: ApiRequest): { size: RenditionName | null; invalid: Issue[] } {
  const unknown = [...query.keys()].filter((name) => name !== 'size');
  const invalid = unknown.map((name) => issue(name, 'UNKNOWN', {}));
  const given = query.get('size');
  const size = RENDITION_NAMES.find((name) => name === given) ?? null;
  if (given !== undefined && size === null)
    invalid.push(issue('size', 'NOT_ONE_OF', { allowed: RENDITION_NAMES }));
  return { size, invalid };
}

const originalOf = (asset: Body): AssetFile => ({
  name: originalName(String(asset['file_key'])),
  size: Number(asset['size']),
  type: String(asset['mime_type']),
  disposition: attachment(String(asset['filename'] ?? asset['id'])),
});

const renditionOf = (asset: Body, name: RenditionName): AssetFile => ({
  name: renditionName(String(asset['file_key']), name),
  size: Number(asset[`${name}_size`]),
  type: RENDITION_TYPE,
  // What its sender calls it is not for everybody.
  disposition: `inline; filename="${String(asset['id'])}-${name}.webp"`,
});

/** RFC 6266: a name in ASCII for whoever reads no other. */
function attachment(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const whole = encodeURIComponent(name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}
