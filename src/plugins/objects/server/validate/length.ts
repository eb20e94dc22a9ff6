/** Code points: what a database column and OpenAPI's `maxLength` count, where JavaScript counts UTF-16 units. */
const lengthOf = (text: string): number => Array.from(text).length;

/** Whether a text has at most so many code points. */
export const fits = (text: string, max: number): boolean =>
  text.length <= max || lengthOf(text) <= max;
