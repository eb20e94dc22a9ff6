import { fits, normalizeText } from '../../../../core/text';
import { isAbsent, object } from './checks';
import { MAX_JSON_BYTES } from './json-object';
import { type KindDefinition, jsonColumn } from './kind';
import { isPlainObject } from './normalize';
import { fault, validUnless } from './yup-issues';

/** Characters of a term. */
export const MAX_TERM = 128;

/** The most bytes that a UTF-16 unit becomes in JSON: a control character is six. */
const MAX_BYTES_OF_UNIT = 6;

/** Whether the texts have at most so many bytes as JSON; mostly told by their lengths. */
export function fitsAsJson(texts: Readonly<Record<string, unknown>>, max: number): boolean {
  let units = 2;
  for (const term in texts) units += term.length + String(texts[term]).length + 6;
  return units * MAX_BYTES_OF_UNIT <= max || Buffer.byteLength(JSON.stringify(texts)) <= max;
}

/** Whether a value surely passes the check. */
export function acceptsTexts(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  for (const term in value) {
    const text = value[term];
    if (term === '' || term.length > MAX_TERM || typeof text !== 'string' || text === '')
      return false;
  }
  return fitsAsJson(value, MAX_JSON_BYTES);
}

/** Texts by the terms under which a source has them; null rather than an empty object. */
export const textsByTerm: KindDefinition = {
  ...jsonColumn,
  empty: null,
  longest: () => MAX_JSON_BYTES,
  normalize: (value) => {
    if (!isPlainObject(value)) return value;
    const texts: Record<string, unknown> = {};
    let isEmpty = true;
    for (const term in value) {
      const text = value[term];
      texts[normalizeText(term)] = typeof text === 'string' ? normalizeText(text) : text;
      isEmpty = false;
    }
    return isEmpty ? null : texts;
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
        (value) => isAbsent(value) || fitsAsJson(value, MAX_JSON_BYTES),
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
