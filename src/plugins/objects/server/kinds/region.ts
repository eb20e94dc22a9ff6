import { string } from './checks';
import type { KindDefinition } from './kind';
import { text } from './text';

/** The key of a region of the site settings. */
export const region: KindDefinition = {
  ...text,
  attributes: ['string'],
  natural: [],
  asks: true,
  check: ({ maxLength }) => string({ minLength: 1, maxLength }),
};
