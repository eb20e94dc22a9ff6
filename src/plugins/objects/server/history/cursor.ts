/** Cursors of the history. */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';

/** A place in the history: after the entry with this time and this number. */
export interface HistoryPosition {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly seq: number;
}

/** Encodes positions for the wire. */
export interface Cursors {
  encode(position: HistoryPosition): string;
  /** @returns null for any text that `encode` has not made */
  decode(cursor: string): HistoryPosition | null;
}

const CIPHER = 'aes-256-ecb';
const KEY_BYTES = 32;
/** Of a block: the time, the number, and zeros, by which a changed cursor is recognized. */
const [AT, SEQ, BLOCK] = [6, 12, 16] as const;

/**
 * Positions are encrypted, since the numbers of entries count all changes, including those of objects that the caller
 * must not know about. A single block is encrypted, so that the same position always has the same cursor.
 *
 * @param secret of the installation
 */
export function createCursors(secret: string): Cursors {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'oms history cursor', KEY_BYTES));
  return {
    encode({ at, seq }) {
      const block = Buffer.alloc(BLOCK);
      block.writeUIntBE(at, 0, AT);
      block.writeUIntBE(seq, AT, SEQ - AT);
      const cipher = createCipheriv(CIPHER, key, null).setAutoPadding(false);
      return Buffer.concat([cipher.update(block), cipher.final()]).toString('base64url');
    },
    decode(cursor) {
      const sealed = Buffer.from(cursor, 'base64url');
      if (sealed.length !== BLOCK || sealed.toString('base64url') !== cursor) return null;
      const decipher = createDecipheriv(CIPHER, key, null).setAutoPadding(false);
      const block = Buffer.concat([decipher.update(sealed), decipher.final()]);
      return block.readUInt32BE(SEQ) === 0
        ? { at: block.readUIntBE(0, AT), seq: block.readUIntBE(AT, SEQ - AT) }
        : null;
    },
  };
}
