import type { StringSchema } from 'yup';
import { isVisibleName, normalizeName } from '../../../../core/names';
import { isAbsent } from './checks';
import type { KindDefinition } from './kind';
import { asText } from './normalize';
import { text } from './text';
import { fault } from './yup-issues';

/** A text by which people tell each other, or animals, apart: one line, all of whose characters show. */
export const name: KindDefinition = {
  ...text,
  attributes: ['string'],
  natural: [],
  normalize: (value, field) => {
    const given = asText(value, field);
    return typeof given === 'string' ? normalizeName(given) : given;
  },
  check: (field) =>
    (text.check(field) as StringSchema).test(
      'visible',
      fault('FORMAT', { expected: 'name' }),
      (value) => isAbsent(value) || isVisibleName(value),
    ),
};
