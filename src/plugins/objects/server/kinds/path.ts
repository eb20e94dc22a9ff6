import { string } from './checks';
import type { KindDefinition } from './kind';
import { text, textSchema } from './text';

/** The path of an asset, in place of a reference to it. */
export const path: KindDefinition = {
  ...text,
  attributes: [],
  natural: [],
  asks: true,
  check: ({ maxLength }) => string({ minLength: 1, maxLength }),
  schema: textSchema,
};
