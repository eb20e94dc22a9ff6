import type { Schema } from 'yup';
import { formatted, item, listCheck } from './checks';
import type { KindDefinition } from './kind';
import { isCanonicalLanguage, language } from './language';
import { textSchema } from './text';
import { texts } from './texts';
import { fault } from './yup-issues';

/** A list of BCP 47 tags in their canonical form, each once, one at least. */
export const languages: KindDefinition = {
  ...texts,
  normalize: (value, field) =>
    Array.isArray(value)
      ? [...new Set(value.map((tag: unknown) => language.normalize(tag, field)))]
      : value,
  check: (field): Schema =>
    listCheck(field, item(formatted(field, 'bcp47', isCanonicalLanguage), 'bcp47')).test(
      'empty',
      fault('TOO_SHORT', { min: 1 }),
      (value) => !Array.isArray(value) || value.length > 0,
    ),
  schema: (field) => ({
    type: 'array',
    items: textSchema(field),
    minItems: 1,
    maxItems: field.maxItems,
    examples: [['en', 'pt-BR']],
  }),
};
