import { latestStart, parseTime, parseWritten } from '../../../../core/time';
import type { Field } from '../declare/completed';
import { formatted, isAbsent, isWithin } from './checks';
import type { CheckContext, KindDefinition } from './kind';
import { text, textSchema } from './text';
import { fault } from './yup-issues';

const DAY = 86_400_000;

/** Whether a value surely passes the check. */
export const acceptsTime = (value: unknown, field: Field, { now }: CheckContext): boolean =>
  typeof value === 'string' &&
  isWithin(field, value) &&
  parseTime(value) !== null &&
  (latestStart(value) ?? Infinity) <= now + DAY;

/** A time of any precision (EDTF level 0), stored as it was given, with the span that it covers at its place. */
export const time: KindDefinition = {
  ...text,
  attributes: ['string'],
  natural: [],
  // The check depends on the present time, and values hardly ever recur.
  recurs: false,
  check: (field) =>
    formatted(field, 'edtf', (value) => parseTime(value) !== null).test(
      'future',
      (value, context) => {
        const limit = (context.options.context as CheckContext).now + DAY;
        const start = isAbsent(value) ? null : latestStart(value);
        if (start === null || start <= limit) return true;
        const max = new Date(limit).toISOString();
        return context.createError({ message: fault('TOO_LARGE', { value: String(value), max }) });
      },
    ),
  schema: (field) => ({
    ...textSchema(field),
    examples: ['2021-06', '2021-06-03T14:05+02:00', '2021-06-03/2021-06-05'],
  }),
  encode: (value) => {
    const span = typeof value === 'string' ? parseWritten(value)?.local : null;
    return [typeof value === 'string' ? value : null, span?.start ?? null, span?.end ?? null];
  },
  parameter: null,
};
