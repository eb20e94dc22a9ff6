/** A page that is the same for everybody, such as one of the documentation. */
import { hash } from 'node:crypto';
import { compress, encodedTag, encodingFor, type Encoding } from '../compression';
import { isKnown } from '../etag';
import type { FrontPage } from '../front';

/**
 * Its text is made when it is first asked for, and kept, in each encoding: there are few such pages.
 *
 * @param headers among them its type
 */
export function keptPage(headers: Readonly<Record<string, string>>, make: () => string): FrontPage {
  const { 'Content-Type': type = '', ...further } = headers;
  const always = { ...further, Vary: 'Accept-Encoding' };
  let made: { readonly bytes: Buffer; readonly etag: string } | null = null;
  const compressed = new Map<Encoding, Promise<Buffer>>();
  return async (req, res) => {
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    if (!isRead) {
      res.writeHead(405, { ...always, Allow: 'GET, HEAD', 'Content-Length': 0 }).end();
      return;
    }
    if (!made) {
      const bytes = Buffer.from(make());
      made = { bytes, etag: `"${hash('sha1', bytes, 'base64url')}"` };
    }
    const { bytes, etag } = made;
    const encoding = encodingFor(req);
    const isHeld = isKnown(req.headers['if-none-match'], etag);
    const content = encoding && !isHeld ? await encoded(compressed, bytes, encoding) : bytes;
    res.writeHead(isHeld ? 304 : 200, {
      ...always,
      ETag: encoding ? encodedTag(etag, encoding) : etag,
      ...(isHeld
        ? {}
        : {
            'Content-Type': type,
            'Content-Length': content.length,
            ...(encoding ? { 'Content-Encoding': encoding } : {}),
          }),
    });
    res.end(isHeld || req.method === 'HEAD' ? undefined : content);
  };
}

function encoded(
  known: Map<Encoding, Promise<Buffer>>,
  bytes: Buffer,
  encoding: Encoding,
): Promise<Buffer> {
  const found = known.get(encoding) ?? compress(bytes, encoding);
  known.set(encoding, found);
  return found;
}
