import { isEmail } from '../../../../core/formats';
import { formatted } from './checks';
import type { KindDefinition } from './kind';
import { text, textSchema } from './text';

export const email: KindDefinition = {
  ...text,
  attributes: ['email'],
  natural: ['email'],
  recurs: false,
  check: (field) => formatted(field, 'email', isEmail),
  schema: (field) => ({ ...textSchema(field), format: 'idn-email' }),
};
