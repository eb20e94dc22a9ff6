import { text, textSchema } from './text';
import type { KindDefinition } from './kind';
import { asItIs } from './normalize';

/** A text that is never read, never recorded in the history, and never stored as it was sent. */
export const secret: KindDefinition = {
  ...text,
  attributes: ['password'],
  natural: ['password'],
  recurs: false,
  normalize: asItIs,
  schema: (field) => ({ ...textSchema(field), format: 'password', writeOnly: true }),
  parameter: null,
};
