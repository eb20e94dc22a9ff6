import * as yup from 'yup';
import { isAbsent, knownNames, listCheck } from './checks';
import { type KindDefinition, jsonColumn } from './kind';
import { localizedSchema, localizedText, normalizeLocalized } from './localized';
import { isPlainObject, mapEntries } from './normalize';
import { fault } from './yup-issues';

/** Characters in one language: of what a list shows, and of the note, which is as long as a note of a review. */
const MAX_TITLE = 100;
const MAX_TEXT = 2000;

const required = fault('REQUIRED', {});

/** In one language at least. */
const said = (maxLength: number) =>
  localizedText(maxLength)
    .nonNullable(required)
    .defined(required)
    .test(
      'some',
      fault('TOO_SHORT', { min: 1 }),
      (texts) => isAbsent(texts) || Object.keys(texts).length > 0,
    );

const note = yup
  .object({ title: said(MAX_TITLE), text: said(MAX_TEXT) })
  .typeError(fault('TYPE', { expected: 'object' }))
  .nonNullable(fault('TYPE', { expected: 'object' }))
  .test('names', knownNames(new Set(['title', 'text'])));

/** Notes that are offered by their titles: a list of `{title, text}`, both L(text). */
export const notes: KindDefinition = {
  ...jsonColumn,
  empty: [],
  longest: () => MAX_TEXT,
  normalize: (value) =>
    Array.isArray(value)
      ? value.map((one) =>
          isPlainObject(one)
            ? mapEntries(one, (_, texts) => normalizeLocalized(texts))
            : (one as unknown),
        )
      : value,
  check: (field) => listCheck(field, note),
  schema: ({ maxItems }) => ({
    type: 'array',
    maxItems,
    items: {
      type: 'object',
      required: ['title', 'text'],
      additionalProperties: false,
      properties: {
        title: { ...localizedSchema(MAX_TITLE), minProperties: 1 },
        text: { ...localizedSchema(MAX_TEXT), minProperties: 1 },
      },
    },
  }),
  referredId: null,
  parameter: null,
};
