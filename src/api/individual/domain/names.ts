/** The names of an individual: which one it is called by, and the keys that no other individual may have. */
import { hash } from 'node:crypto';
import { issue, type Issue } from '../../../core/errors';
import { foldAlike } from '../../../core/look-alike';
import type { Rule } from '../../../plugins/objects/server/declare/behavior';
import type { RecordKey } from '../../../plugins/objects/server/declare/declaration';
import type { IndividualName } from '../../../plugins/objects/server/kinds/individual-names';

type Individual = Readonly<Record<string, unknown>>;

const namesOf = (individual: Individual): readonly IndividualName[] =>
  (individual['names'] ?? []) as readonly IndividualName[];

/** The preferred one, else the first; null without names. */
export function callName(individual: Individual): string | null {
  const names = namesOf(individual);
  return (names.find(({ preferred }) => preferred) ?? names[0])?.value ?? null;
}

/**
 * The keys of its names: a value is unique in a context and a taxon, an absent taxon being one, however alike it is written.
 * As hashes, because folding makes some texts many times longer.
 */
export const nameKeys = (individual: Individual): readonly RecordKey[] =>
  namesOf(individual).map(({ context, value }, at) => ({
    key: hash(
      'sha256',
      JSON.stringify([individual['taxonomy'] ?? null, foldAlike(context), foldAlike(value)]),
      'hex',
    ),
    value: foldAlike(value),
    path: `names.${at}.value`,
  }));

/** Every name once, and one of them preferred at most; the issue is at the later one. */
export const namesAgree: Rule = {
  fields: ['names', 'taxonomy'],
  *check(individual) {
    const preferred = namesOf(individual).flatMap((name, at) =>
      name.preferred ? `names.${at}.preferred` : [],
    );
    const keys = nameKeys(individual);
    const repeated = keys.flatMap(({ key, path }, at): Issue[] => {
      const first = keys.findIndex((other) => other.key === key);
      return first === at ? [] : [issue(path, 'CONFLICT', { with: keys[first]?.path ?? '' })];
    });
    const [first = '', ...others] = preferred;
    return [...repeated, ...others.map((path) => issue(path, 'CONFLICT', { with: first }))];
  },
};
