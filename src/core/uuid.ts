import { MAX, NIL, validate } from 'uuid';

/** Whether a text is a UUID of any version, in either case; the nil and the max UUID are none. */
export const isUuid = (text: string): boolean =>
  validate(text) && text !== NIL && text.toLowerCase() !== MAX;
