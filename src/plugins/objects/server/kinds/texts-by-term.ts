import { fits, normalizeText } from '../../../../core/text';
import { isAbsent, object } from './checks';
import { MAX_JSON_BYTES } from './json-object';
import { type KindDefinition, jsonColumn } from './kind';
import { isPlainObject } from './normalize';
import { fault, validUnless } from './yup-issues';

/** Characters of a term. */
export const MAX_TERM = 128;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Texts by the terms under which a source has them; null rather than an empty object. */
export const textsByTerm: KindDefinition = {
  ...jsonColumn,
  empty: null,
  longest: () => MAX_JSON_BYTES,
  normalize: (value) => {
    if (!isPlainObject(value)) return value;
    const entries = Object.entries(value).map(([term, text]) => [
      normalizeText(term),
      typeof text === 'string' ? normalizeText(text) : text,
    ]);
    return entries.length === 0 ? null : (Object.fromEntries(entries) as unknown);
  },
  check: () =>
    object()
      .test('texts', (value, context) => {
        if (isAbsent(value)) return true;
        const wrong = (term: string, message: ReturnType<typeof fault>) =>
          context.createError({ path: `${context.path}.${term}`, message });
        return validUnless(
          Object.entries(value).flatMap(([term, text]) => {
            if (term === '') return wrong(term, fault('TOO_SHORT', { min: 1 }));
            if (!fits(term, MAX_TERM)) return wrong(term, fault('TOO_LONG', { max: MAX_TERM }));
            if (typeof text !== 'string') return wrong(term, fault('TYPE', { expected: 'string' }));
            return text === '' ? wrong(term, fault('TOO_SHORT', { min: 1 })) : [];
          }),
        );
      })
      .test(
        'bytes',
        fault('TOO_LONG', { max: MAX_JSON_BYTES }),
        (value) => isAbsent(value) || bytesOf(value) <= MAX_JSON_BYTES,
      ),
  schema: () => ({
    type: 'object',
    propertyNames: { minLength: 1, maxLength: MAX_TERM },
    additionalProperties: { type: 'string', minLength: 1, maxLength: MAX_JSON_BYTES },
    examples: [{ habitat: 'reed bed', samplingEffort: '2 trap nights' }],
  }),
  referredId: null,
  parameter: null,
};
