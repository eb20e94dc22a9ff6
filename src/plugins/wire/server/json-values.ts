/** How much there is in JSON, before anybody parses it. */

/** Values of one body, whatever their depth. The largest object that all bounds of its fields allow has some 2,000. */
export const MAX_VALUES = 10_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;

/**
 * Whether a text of JSON has more values than this. A mebibyte may hold half a million, which take 30 times the room
 * once they are parsed, and seconds to check; to count what begins or separates them takes 2 ms. Of what is no JSON
 * the answer means nothing.
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
