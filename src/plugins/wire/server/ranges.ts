/** Ranges of bytes (RFC 9110, section 14): one at a time; who asks for several is given all. */
import type { IncomingHttpHeaders } from 'node:http';
import { fail } from '../../../core/errors';

/** Both inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const ONE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * The range that is asked for.
 *
 * @param etag of the bytes as they are; of others (`If-Range`) a part is of no use
 * @returns null for all
 * @throws ApiError RANGE_NOT_SATISFIABLE
 */
export function rangeOf(
  { range, 'if-range': condition }: IncomingHttpHeaders,
  size: number,
  etag: string,
): ByteRange | null {
  const [, from = '', to = ''] = ONE.exec(range ?? '') ?? [];
  const isAsked = from !== '' || to !== '';
  if (!isAsked || (condition !== undefined && condition !== etag)) return null;
  if (from !== '' && to !== '' && Number(from) > Number(to)) return null;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (start > end || (from === '' && Number(to) === 0))
    throw fail('RANGE_NOT_SATISFIABLE', { size }, { 'Content-Range': `bytes */${size}` });
  return { start, end };
}
