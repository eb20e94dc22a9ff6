import { canonicalLanguage } from '../../../../core/formats';
import { formatted } from './checks';
import type { KindDefinition } from './kind';
import { asText } from './normalize';
import { text, textSchema } from './text';

/** Whether a text is a BCP 47 tag in its canonical form. */
export const isCanonicalLanguage = (tag: string): boolean => canonicalLanguage(tag) === tag;

/** A BCP 47 tag, stored in its canonical form. */
export const language: KindDefinition = {
  ...text,
  attributes: ['string'],
  natural: [],
  normalize: (value, field) => {
    const tag = asText(value, field);
    return typeof tag === 'string' ? (canonicalLanguage(tag) ?? tag) : tag;
  },
  check: (field) => formatted(field, 'bcp47', isCanonicalLanguage),
  schema: (field) => ({ ...textSchema(field), examples: ['en', 'pt-BR'] }),
};
