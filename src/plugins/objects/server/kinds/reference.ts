import type { KindDefinition } from './kind';
import { uuid } from './uuid';

/** The ID of another object, stored as a foreign key. */
export const reference: KindDefinition = {
  ...uuid,
  attributes: ['relation'],
  asks: true,
  recurs: true,
  referredId: String,
};
