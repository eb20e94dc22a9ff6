import { isWebUrl } from '../../../../core/formats';
import { formatted } from './checks';
import type { KindDefinition } from './kind';
import { notRejected, text, textSchema } from './text';

/** An absolute http or https address without credentials. */
export const url: KindDefinition = {
  ...text,
  attributes: ['string'],
  natural: [],
  check: (field) => notRejected(field, formatted(field, 'url', isWebUrl)),
  schema: (field) => ({ ...textSchema(field), format: 'uri' }),
};
