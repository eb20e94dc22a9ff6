import * as yup from 'yup';
import { isUuid } from '../../../../core/formats';
import { formatted, isAbsent, knownNames, listCheck } from './checks';
import { type KindDefinition } from './kind';
import { asLowerCase, isPlainObject } from './normalize';
import { fault } from './yup-issues';
import { uuid } from './uuid';

/** What another animal is to this one. */
export interface Relationship {
  readonly individual: string;
  readonly type: string;
}

const required = fault('REQUIRED', {});

/** What other objects of the type are to this one: a list of `{individual, type}`, one edge each. */
export const relationships: KindDefinition = {
  ...uuid,
  attributes: ['json'],
  natural: [],
  empty: [],
  json: 'json',
  asks: true,
  recurs: false,
  normalize: (value) =>
    Array.isArray(value)
      ? value.map((item: unknown) =>
          isPlainObject(item) ? { ...item, individual: asLowerCase(item['individual']) } : item,
        )
      : value,
  check: (field) =>
    listCheck(
      field,
      yup
        .object({
          individual: formatted({ minLength: 0, maxLength: 36 }, 'uuid', isUuid)
            .nonNullable(required)
            .defined(required),
          type: yup
            .mixed()
            .nonNullable(required)
            .defined(required)
            .test(
              'choice',
              fault('NOT_ONE_OF', { allowed: field.choices }),
              (value) => isAbsent(value) || field.choices.some((known) => known === value),
            ),
        })
        .typeError(fault('TYPE', { expected: 'object' }))
        .nonNullable(fault('TYPE', { expected: 'object' }))
        .test('names', knownNames(new Set(['individual', 'type']))),
    ),
  schema: ({ maxItems, choices }) => ({
    type: 'array',
    maxItems,
    items: {
      type: 'object',
      required: ['individual', 'type'],
      additionalProperties: false,
      properties: {
        individual: { type: 'string', format: 'uuid' },
        type: {
          type: 'string',
          enum: choices,
          description: 'What that one is to this one.',
        },
      },
    },
  }),
  encode: () => [],
  referredId: (value) => (isPlainObject(value) ? String(value['individual']) : ''),
  referredAt: 'individual',
  parameter: null,
};
