const HALF = /\p{Cs}/u;

/**
 * A text in UTF-8, in which halves of surrogate pairs stand as they are, in three bytes each (CESU-8): `Buffer` would
 * replace them.
 */
export function bytesOfText(text: string): Buffer {
  if (!HALF.test(text)) return Buffer.from(text);
  const bytes = Buffer.alloc(3 * text.length);
  let end = 0;
  for (const sign of text) {
    const code = sign.charCodeAt(0);
    const isHalf = sign.length === 1 && code >= 0xd800 && code <= 0xdfff;
    if (!isHalf) {
      end += bytes.write(sign, end);
      continue;
    }
    bytes.set([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)], end);
    end += 3;
  }
  return bytes.subarray(0, end);
}

/** The same in a URL. */
export const percentEncoded = (text: string): string =>
  !HALF.test(text)
    ? encodeURIComponent(text)
    : bytesOfText(text)
        .toString('latin1')
        .replace(/[^\w.-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);
