/** What is sent for the kinds of values of individuals. */
import type { Field } from '#app/plugins/objects/server/declare/completed';
import { uuid } from '../helpers/ids';
import { bad, good, ofOtherTypes, TARGET, type Samples } from './sample';

let counted = 0;
/** Names that no other object has. */
const fresh = (name: string): string => `${name} ${(counted += 1)}`;

export const individualNames = ({ maxItems }: Field): Samples => {
  const [first, second, third] = [fresh('Zora'), fresh('Zora'), fresh('Zora')];
  const nickname = { context: 'nickname', value: fresh('a') };
  return {
    good: [
      good([]),
      good(
        [{ context: ' nickname ', value: `${first}\u00a0x ` }],
        [{ context: 'nickname', value: `${first} x`, preferred: false }],
      ),
      good([
        { context: 'catalog', value: second, preferred: true },
        { context: 'nickname', value: second, preferred: false },
      ]),
      good(
        [{ context: 'cafe\u0301', value: third, preferred: false }],
        [{ context: 'caf\u00e9', value: third, preferred: false }],
      ),
    ],
    bad: [
      ...ofOtherTypes('array', 'Zora', 5, {}),
      bad(
        Array.from({ length: maxItems + 1 }, () => ({ context: 'n', value: fresh('n') })),
        'TOO_LONG',
        { max: maxItems },
      ),
      bad([null], 'TYPE', { expected: 'object' }, '.0'),
      bad(['Zora'], 'TYPE', { expected: 'object' }, '.0'),
      {
        sent: [nickname, { preferred: 5, age: 1 }],
        faults: [
          ['.1.context', 'REQUIRED', {}],
          ['.1.value', 'REQUIRED', {}],
          ['.1.preferred', 'TYPE', { expected: 'boolean' }],
          ['.1.age', 'UNKNOWN', {}],
        ],
      },
      bad([{ ...nickname, preferred: null }], 'TYPE', { expected: 'boolean' }, '.0.preferred'),
      bad([{ ...nickname, value: ' ' }], 'TOO_SHORT', { min: 1 }, '.0.value'),
      bad([{ ...nickname, value: 'a\u200bb' }], 'FORMAT', { expected: 'name' }, '.0.value'),
      bad([{ ...nickname, context: 'a'.repeat(101) }], 'TOO_LONG', { max: 100 }, '.0.context'),
      bad([{ ...nickname, value: 'a'.repeat(256) }], 'TOO_LONG', { max: 255 }, '.0.value'),
      {
        sent: [
          { ...nickname, preferred: true },
          { ...nickname, value: fresh('b'), preferred: true },
        ],
        faults: [['.1.preferred', 'CONFLICT', { with: 'names.0.preferred' }]],
      },
      {
        sent: [nickname, { context: 'NICKNAME', value: nickname.value.toUpperCase() }],
        faults: [['.1.value', 'CONFLICT', { with: 'names.0.value' }]],
      },
    ],
  };
};

export const relationships = ({ to, maxItems, choices }: Field): Samples => {
  const wild = (type: string) => ({ individual: TARGET, type });
  return {
    good: [
      good([]),
      good([wild('mother')]),
      good(
        [{ individual: TARGET.toUpperCase(), type: 'mate' }, wild('associate'), wild('mate')],
        [wild('associate'), wild('mate')],
      ),
    ],
    bad: [
      ...ofOtherTypes('array', 'mother', 5, {}),
      bad(Array(maxItems + 1).fill(wild('mate')), 'TOO_LONG', { max: maxItems }),
      bad([null], 'TYPE', { expected: 'object' }, '.0'),
      bad([TARGET], 'TYPE', { expected: 'object' }, '.0'),
      bad([wild('aunt')], 'NOT_ONE_OF', { allowed: choices }, '.0.type'),
      bad([{ ...wild('mate'), individual: 'x' }], 'FORMAT', { expected: 'uuid' }, '.0.individual'),
      {
        sent: [wild('mate'), { since: 2021 }],
        faults: [
          ['.1.individual', 'REQUIRED', {}],
          ['.1.type', 'REQUIRED', {}],
          ['.1.since', 'UNKNOWN', {}],
        ],
      },
      bad(
        [{ ...wild('mate'), individual: uuid(0xdead) }],
        'NO_SUCH',
        { type: to },
        '.0.individual',
      ),
      bad([wild('offspring')], 'CONFLICT', { with: 'sex' }, '.0.type'),
      bad(
        [wild('mother'), wild('father')],
        'CONFLICT',
        { with: 'relationships.0.type' },
        '.1.type',
      ),
    ],
  };
};
