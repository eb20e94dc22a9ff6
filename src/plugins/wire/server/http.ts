/** Helpers for HTTP methods and headers, for this service's own calls and Strapi's. */
import type { IncomingMessage } from 'node:http';

/** Methods that change nothing (RFC 9110, section 9.2.1). */
export const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The media type of every body but those with a file. */
export const JSON_TYPE = 'application/json';
export const FORM_TYPE = 'multipart/form-data';

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;

/** The media type of a body in lower case, without its parameters. */
export const mediaTypeOf = ({ headers }: IncomingMessage): string =>
  (headers['content-type'] ?? '').toLowerCase().split(';')[0]?.trim() ?? '';
