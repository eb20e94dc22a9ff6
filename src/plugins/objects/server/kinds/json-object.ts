import { isAbsent, object } from './checks';
import { type KindDefinition, jsonColumn } from './kind';
import { asItIs } from './normalize';
import { fault } from './yup-issues';

/** Bytes of such an object as JSON. */
export const MAX_JSON_BYTES = 64 * 1024;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** A JSON object of a client, stored as it was sent. */
export const jsonObject: KindDefinition = {
  ...jsonColumn,
  empty: {},
  longest: () => MAX_JSON_BYTES,
  normalize: asItIs,
  check: () =>
    object().test(
      'bytes',
      fault('TOO_LONG', { max: MAX_JSON_BYTES }),
      (value) => isAbsent(value) || bytesOf(value) <= MAX_JSON_BYTES,
    ),
  schema: () => ({ type: 'object', additionalProperties: true }),
  parameter: null,
  referredId: null,
};
