import * as yup from 'yup';
import { fits } from '../../../../core/text';
import type { Field } from '../declare/completed';
import { isAbsent, isWithin, knownNames, listCheck, string } from './checks';
import { type KindDefinition, jsonColumn } from './kind';
import { deep, isPlainObject } from './normalize';
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

const isText = (value: unknown, minLength: number): boolean =>
  typeof value === 'string' && isWithin({ minLength, maxLength: MAX_TEXT }, value);

/** Whether a value surely passes the check. */
export function acceptsMeasurements(list: unknown, { maxItems }: Field): boolean {
  if (!Array.isArray(list) || list.length > maxItems) return false;
  for (const measured of list as unknown[]) {
    if (!isPlainObject(measured)) return false;
    const { type, value, unit, ...others } = measured;
    if (!isText(type, 1) || !(Number.isFinite(value) || isText(value, 1))) return false;
    if (!(isAbsent(unit) || isText(unit, 0)) || Object.keys(others).length > 0) return false;
  }
  return true;
}

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
