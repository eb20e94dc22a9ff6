import * as yup from 'yup';
import { fits } from '../../../../core/text';
import { isAbsent, knownNames, listCheck, string } from './checks';
import { type KindDefinition, jsonColumn } from './kind';
import { deep } from './normalize';
import { fault } from './yup-issues';

/** The maximum length of each text of a measurement, in characters. */
const MAX_TEXT = 255;

const measurement = yup
  .object({
    type: string({ minLength: 1, maxLength: MAX_TEXT })
      .nonNullable(fault('REQUIRED', {}))
      .defined(fault('REQUIRED', {})),
    value: yup
      .mixed()
      .required(fault('REQUIRED', {}))
      .test('scalar', fault('TYPE', { expected: 'number_or_string' }), (value) =>
        typeof value === 'string'
          ? fits(value, MAX_TEXT)
          : isAbsent(value) || Number.isFinite(value),
      ),
    unit: string({ minLength: 0, maxLength: MAX_TEXT }).nullable(),
  })
  .typeError(fault('TYPE', { expected: 'object' }))
  .nonNullable(fault('TYPE', { expected: 'object' }))
  .test('names', knownNames(new Set(['type', 'value', 'unit'])));

const measurementSchema = {
  type: 'object',
  required: ['type', 'value'],
  additionalProperties: false,
  properties: {
    type: { type: 'string', minLength: 1, maxLength: MAX_TEXT },
    value: { anyOf: [{ type: 'number' }, { type: 'string', maxLength: MAX_TEXT }] },
    unit: { type: ['string', 'null'], maxLength: MAX_TEXT },
  },
};

/** Measurements: a list of `{type, value, unit}`. */
export const measurements: KindDefinition = {
  ...jsonColumn,
  empty: [],
  longest: () => MAX_TEXT,
  normalize: deep,
  check: (field) => listCheck(field, measurement),
  schema: ({ maxItems }) => ({ type: 'array', items: measurementSchema, maxItems }),
  referredId: null,
  parameter: null,
};
