/**
 * Serves the repository's `public/locales` to frontends. All files are read at the start; no path of a caller reaches
 * the file system.
 */
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { compressAtStart, encodedTag, encodingFor, type Encoding } from './compression';
import { isKnown as isHeld } from './etag';

interface PublicFile {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly compressed: Readonly<Record<Encoding, Buffer>>;
}

/** Answers a request for a public file. @returns false when there is no such file */
export type PublicFiles = (req: IncomingMessage, res: ServerResponse, path: string) => boolean;

const FILE = 'translation.json';

/** @param folder the folder `locales`, with a folder per language in it */
export function readPublicFiles(folder: string): PublicFiles {
  const files = new Map(
    readdirSync(folder).map((language): [string, PublicFile] => {
      const bytes = readFileSync(join(folder, language, FILE));
      const etag = `"${hash('sha1', bytes, 'base64url')}"`;
      const compressed = {
        br: compressAtStart(bytes, 'br'),
        gzip: compressAtStart(bytes, 'gzip'),
      };
      return [`/locales/${language}/${FILE}`, { bytes, etag, compressed }];
    }),
  );
  return (req, res, path) => {
    const file = files.get(path);
    if (!file || (req.method !== 'GET' && req.method !== 'HEAD')) return false;
    const encoding = encodingFor(req);
    const bytes = encoding === null ? file.bytes : file.compressed[encoding];
    const etag = encoding === null ? file.etag : encodedTag(file.etag, encoding);
    const isKnown = isHeld(req.headers['if-none-match'], file.etag);
    res.writeHead(isKnown ? 304 : 200, {
      'Access-Control-Allow-Origin': '*',
      'Cache-Control': 'public, max-age=300',
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Accept-Encoding',
      ETag: etag,
      ...(isKnown
        ? {}
        : {
            'Content-Type': 'application/json; charset=utf-8',
            'Content-Length': bytes.length,
            ...(encoding === null ? {} : { 'Content-Encoding': encoding }),
          }),
    });
    res.end(isKnown || req.method === 'HEAD' ? undefined : bytes);
    return true;
  };
}
