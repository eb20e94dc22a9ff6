/** Counts the values of a JSON text without parsing it. */

const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;

/**
 * Whether a JSON text has more values than this. A mebibyte may hold half a million, which take 30 times the memory
 * once they are parsed, and seconds to check; counting the characters that begin or separate them takes 2 ms. For a
 * text that is not JSON the result has no meaning.
 */
export function hasMoreValues(bytes: Uint8Array, max: number): boolean {
  if (bytes.length <= max) return false;
  let isText = false;
  let values = 1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (isText) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) {
      values += 1;
      if (values > max) return true;
    }
  }
  return false;
}
