/** Entity tags (RFC 9110, section 8.8.3): `"<version>-<hash>"`, or `"<hash>"` for callers who may not update. */
import { hash } from 'node:crypto';
import { plainTag } from './compression';
import { issue, type Issue } from '../../../core/errors';

/** The tag of an object's representation. */
export function etagOf(text: string, version: number | null): string {
  const digest = hash('sha1', text, 'base64url');
  return version === null ? `"${digest}"` : `"${version}-${digest}"`;
}

/** Whether `If-None-Match` contains this tag, weak or strong, of the answer in any encoding. */
export function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((tag) => plainTag(tag.trim().replace(/^W\//, '')) === etag);
}

const VERSION_TAG = /^(?:W\/)?"(\d{1,10})(?:-[\w-]+)?"$/;

/** The condition in `If-Match`. */
export interface MatchCondition {
  /** The allowed versions, `*` for any; undefined without the header. */
  readonly ifMatch?: '*' | readonly number[];
  /** The issue of a header that is neither `*` nor a list of tags that begin with a version. */
  readonly invalid: readonly Issue[];
}

/** The condition of an update or a deletion. */
export function conditionOf(header: string | undefined): MatchCondition {
  if (header === undefined) return { invalid: [] };
  if (header.trim() === '*') return { ifMatch: '*', invalid: [] };
  const versions = header.split(',').map((tag) => VERSION_TAG.exec(plainTag(tag.trim()))?.[1]);
  return versions.every((version) => version !== undefined)
    ? { ifMatch: versions.map(Number), invalid: [] }
    : { invalid: [issue('if-match', 'FORMAT', { expected: 'etag' })] };
}
