import { isOrigin } from '../../../../core/formats';
import { formatted, item, listCheck } from './checks';
import type { KindDefinition } from './kind';
import { textSchema } from './text';
import { texts } from './texts';

/** A list of web origins: scheme, host, and a port that is not the scheme's own (RFC 6454). */
export const origins: KindDefinition = {
  ...texts,
  check: (field) => listCheck(field, item(formatted(field, 'origin', isOrigin), 'origin')),
  schema: (field) => ({
    type: 'array',
    items: { ...textSchema(field), format: 'uri' },
    maxItems: field.maxItems,
    examples: [['https://map.example.org']],
  }),
};
