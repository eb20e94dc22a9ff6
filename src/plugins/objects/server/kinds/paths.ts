import { isAbsent, object } from './checks';
import { type KindDefinition, jsonColumn } from './kind';
import { asLowerCase, isPlainObject } from './normalize';
import { fault, validUnless } from './yup-issues';

/** Names, and characters of one of them. */
export const MAX_NAMES = 100;
const NAME = /^[a-z][a-z0-9_-]{0,63}$/i;

/** Characters of a path. */
const MAX_PATH = 100;

/** Paths of other objects' bytes by names; whether the objects exist, the type's own preparation finds out. */
export const paths: KindDefinition = {
  ...jsonColumn,
  empty: {},
  longest: () => MAX_PATH,
  normalize: (value) =>
    isPlainObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, path]) => [name, asLowerCase(path)]))
      : value,
  check: () =>
    object().test('names', (value, context) => {
      if (isAbsent(value)) return true;
      const entries = Object.entries(value);
      if (entries.length > MAX_NAMES)
        return context.createError({ message: fault('TOO_LONG', { max: MAX_NAMES }) });
      const wrong = (name: string, message: ReturnType<typeof fault>) =>
        context.createError({ path: `${context.path}.${name}`, message });
      const faults = entries.flatMap(([name, path]) => {
        if (!NAME.test(name)) return wrong(name, fault('FORMAT', { expected: 'key' }));
        return typeof path === 'string' ? [] : wrong(name, fault('TYPE', { expected: 'string' }));
      });
      return validUnless(faults);
    }),
  schema: () => ({
    type: 'object',
    maxProperties: MAX_NAMES,
    additionalProperties: { type: 'string', maxLength: MAX_PATH },
    examples: [{ banner: '/api/v0/asset/7c9e6679-7425-40de-944b-e07fc1f90ae7/file' }],
  }),
  parameter: null,
  referredId: null,
};
