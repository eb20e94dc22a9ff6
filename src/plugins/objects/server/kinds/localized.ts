import type * as yup from 'yup';
import { canonicalLanguage } from '../../../../core/formats';
import { fits, normalizeText } from '../../../../core/text';
import { isAbsent, object } from './checks';
import { type JsonSchema, type KindDefinition, jsonColumn } from './kind';
import { isPlainObject } from './normalize';
import { fault, validUnless } from './yup-issues';

const MAX_LANGUAGES = 100;

/** L(text): texts by canonical BCP 47 tag. */
export const localized: KindDefinition = {
  ...jsonColumn,
  empty: null,
  longest: ({ maxLength }) => maxLength,
  normalize: (value) => normalizeLocalized(value),
  check: ({ maxLength }) => localizedText(maxLength),
  schema: ({ maxLength }) => ({
    ...localizedSchema(maxLength),
    examples: [{ en: 'plains zebra', fr: 'zèbre des plaines' }],
  }),
  referredId: null,
  parameter: null,
};

/** Canonical tags and normalized texts. Two spellings of one tag stay apart, for the check to name. */
export function normalizeLocalized(value: unknown): unknown {
  if (!isPlainObject(value)) return value;
  const result: Record<string, unknown> = {};
  for (const [tag, entry] of Object.entries(value)) {
    const canonical = canonicalLanguage(tag) ?? tag;
    const isFree = canonical === tag || !(canonical in value || canonical in result);
    result[isFree ? canonical : tag] = typeof entry === 'string' ? normalizeText(entry) : entry;
  }
  return result;
}

/** The check of a localized text whose texts have at most this many characters. */
export const localizedText = (maxLength: number) =>
  object().test('languages', (value, context) => {
    if (isAbsent(value)) return true;
    const entries = Object.entries(value);
    if (entries.length > MAX_LANGUAGES)
      return context.createError({ message: fault('TOO_LONG', { max: MAX_LANGUAGES }) });
    const faults = entries.flatMap(
      ([tag, entry]) => entryFault(tag, entry, maxLength, context) ?? [],
    );
    return validUnless(faults);
  });

/** The JSON Schema of the same. */
export const localizedSchema = (maxLength: number): JsonSchema => ({
  type: 'object',
  maxProperties: MAX_LANGUAGES,
  additionalProperties: { type: 'string', minLength: 1, maxLength },
});

/** The yup error of the entry of one language; null when it is valid. */
function entryFault(tag: string, entry: unknown, max: number, context: yup.TestContext) {
  const path = `${context.path}.${tag}`;
  const wrong = (message: ReturnType<typeof fault>) => context.createError({ path, message });
  const canonical = canonicalLanguage(tag);
  if (canonical === null) return wrong(fault('FORMAT', { expected: 'bcp47' }));
  if (canonical !== tag) return wrong(fault('CONFLICT', { with: canonical }));
  if (typeof entry !== 'string') return wrong(fault('TYPE', { expected: 'string' }));
  if (entry === '') return wrong(fault('TOO_SHORT', { min: 1 }));
  return fits(entry, max) ? null : wrong(fault('TOO_LONG', { max }));
}
