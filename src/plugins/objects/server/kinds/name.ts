import type { StringSchema } from 'yup';
import { isVisibleName, normalizeName } from '../../../../core/names';
import { isAbsent } from './checks';
import type { KindDefinition } from './kind';
import { asText } from './normalize';
import { text } from './text';
import { fault } from './yup-issues';

/** The name of a person or an animal: one line of visible characters. */
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
