import * as yup from 'yup';
import { isVisibleName, normalizeName } from '../../../../core/names';
import { normalizeText } from '../../../../core/text';
import { isAbsent, knownNames, listCheck, string } from './checks';
import { type KindDefinition, jsonColumn } from './kind';
import { isPlainObject, mapEntries } from './normalize';
import { fault } from './yup-issues';

/** One name of an animal. */
export interface IndividualName {
  /** Where it is used: `nickname`, `catalog`. */
  readonly context: string;
  readonly value: string;
  readonly preferred: boolean;
}

/** Characters of a context, and of a name. */
const MAX_CONTEXT = 100;
const MAX_VALUE = 255;

const required = fault('REQUIRED', {});

const visible = (maxLength: number) =>
  string({ minLength: 1, maxLength })
    .nonNullable(required)
    .defined(required)
    .test(
      'visible',
      fault('FORMAT', { expected: 'name' }),
      (value) => isAbsent(value) || isVisibleName(value),
    );

const record = yup
  .object({
    context: visible(MAX_CONTEXT),
    value: visible(MAX_VALUE),
    preferred: yup
      .boolean()
      .typeError(fault('TYPE', { expected: 'boolean' }))
      .nonNullable(fault('TYPE', { expected: 'boolean' })),
  })
  .typeError(fault('TYPE', { expected: 'object' }))
  .nonNullable(fault('TYPE', { expected: 'object' }))
  .test('names', knownNames(new Set(['context', 'value', 'preferred'])));

const asName = (value: unknown): unknown =>
  typeof value === 'string' ? normalizeName(normalizeText(value)) : value;

/** Absent is false; null is what it is, for the check to refuse. */
const preferredOf = ({ preferred = false }: Readonly<Record<string, unknown>>): unknown =>
  preferred;

const normalized = (item: unknown): unknown =>
  isPlainObject(item)
    ? { ...mapEntries(item, (_, value) => asName(value)), preferred: preferredOf(item) }
    : item;

/** The names of an animal: a list of `{context, value, preferred}`. */
export const individualNames: KindDefinition = {
  ...jsonColumn,
  empty: [],
  longest: () => MAX_VALUE,
  normalize: (value) => (Array.isArray(value) ? value.map(normalized) : value),
  check: (field) => listCheck(field, record),
  schema: ({ maxItems }) => ({
    type: 'array',
    maxItems,
    items: {
      type: 'object',
      required: ['context', 'value'],
      additionalProperties: false,
      properties: {
        context: {
          type: 'string',
          minLength: 1,
          maxLength: MAX_CONTEXT,
          description: 'Where it is used, such as `nickname` or `catalog`.',
        },
        value: { type: 'string', minLength: 1, maxLength: MAX_VALUE },
        preferred: { type: 'boolean', description: 'Whether the animal is called by it.' },
      },
    },
  }),
  referredId: null,
  parameter: null,
};
