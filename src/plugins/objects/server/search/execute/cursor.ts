/**
 * Cursors of searches: places in an order, encrypted, since the ID of a cursor may be that of an object that its finder
 * loses sight of. A cursor is bound to the query that it came from and to what its caller may see. The same place has
 * always the same cursor: the initialization vector is a digest of the place (as in RFC 5297, SIV).
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  timingSafeEqual,
} from 'node:crypto';
import type { Place } from '../language/sort';

export interface PlaceCursors {
  /** @param bound what the cursor is bound to */
  encode(place: Place, bound: string): string;
  /** @returns null for any text that `encode` has not made for the same */
  decode(cursor: string, bound: string): Place | null;
}

const CIPHER = 'aes-256-ctr';
const KEY_BYTES = 32;
const TAG_BYTES = 16;

/** To be increased when an order changes: cursors of the earlier one are then none. */
const EDITION = 2;

/** Characters of a cursor: the longest sort keys, of four bytes a character, and an ID. */
const MAX_CURSOR = 4000;

/** @param secret of the installation */
export function createPlaceCursors(secret: string): PlaceCursors {
  const keyFor = (use: string): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, '', `oms search cursor ${EDITION} ${use}`, KEY_BYTES));
  const [encryption, digest] = [keyFor('encryption'), keyFor('digest')];
  const tagOf = (text: Buffer, bound: string): Buffer =>
    createHmac('sha256', digest)
      .update(JSON.stringify([bound, text.toString('utf8')]))
      .digest()
      .subarray(0, TAG_BYTES);
  return {
    encode({ keys, id }, bound) {
      const text = Buffer.from(JSON.stringify([keys, id]));
      const tag = tagOf(text, bound);
      const cipher = createCipheriv(CIPHER, encryption, tag);
      return Buffer.concat([tag, cipher.update(text), cipher.final()]).toString('base64url');
    },
    decode(cursor, bound) {
      if (cursor.length > MAX_CURSOR) return null;
      const sealed = Buffer.from(cursor, 'base64url');
      if (sealed.length <= TAG_BYTES || sealed.toString('base64url') !== cursor) return null;
      const tag = sealed.subarray(0, TAG_BYTES);
      const decipher = createDecipheriv(CIPHER, encryption, tag);
      const text = Buffer.concat([decipher.update(sealed.subarray(TAG_BYTES)), decipher.final()]);
      if (!timingSafeEqual(tagOf(text, bound), tag)) return null;
      const [keys, id] = JSON.parse(text.toString('utf8')) as [Place['keys'], string];
      return { keys, id };
    },
  };
}
