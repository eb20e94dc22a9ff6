/** Code points: what a database column and OpenAPI's `maxLength` count, where JavaScript counts UTF-16 units. */
function lengthOf(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; length += 1)
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return length;
}

/** Whether a text has at least so many code points. */
export const reaches = (text: string, min: number): boolean =>
  text.length >= 2 * min || (text.length >= min && lengthOf(text) >= min);

/** Whether a text has at most so many code points, each of which has one or two units. */
export const fits = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && lengthOf(text) <= max);
