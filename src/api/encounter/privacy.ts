/**
 * Location privacy of encounters (contract, section 6): who sees one as it is stored, and what each of its fields is for
 * everybody else. The functions of `domain/generalize.ts` make both what a read answers and what is kept
 * (`generalized.ts`).
 */
import { sql } from '../../plugins/objects/server/database/sql';
import { levelOf, levelOfEncounter } from '../../plugins/objects/server/privacy/level';
import {
  EXACT,
  type Generalization,
  type ViewsDeclaration,
} from '../../plugins/objects/server/rights/views';
import type { SiteSettings } from '../../plugins/objects/server/site';
import type { Body } from '../../plugins/objects/server/types';
import {
  generalTime,
  obscuredPlace,
  publicCustomFields,
  type Level,
  type Place,
} from './domain/generalize';

/** The levels above open, in the order of their numbers from 1. */
export const LEVELS: readonly Level[] = ['obscured', 'private'];

/** Who sees an encounter as it is stored, whatever its level; everybody else is a stranger. */
const NO_STRANGER = ['own', 'viewer', 'member', 'claimant'];

export const encounterViews: ViewsDeclaration = {
  exact: { anonymous: 'claimant', user: NO_STRANGER },
  names: LEVELS,
  kept: {
    name: 'oms_generalized',
    row: 'encounter',
    level: 'level',
    fields: ['owner', 'individual', 'time', 'latitude', 'longitude', 'location_id'],
  },
  others(row) {
    const own = row.column('location_privacy');
    const level = levelOfEncounter(own, row.column('taxonomy'), row.defaultPrivacy);
    return sql`case ${level} when 0 then 'exact' when 1 then 'obscured' else 'private' end`;
  },
  othersKnown(encounter, site, answer) {
    const level = knownLevel(encounter, site, answer);
    return level === undefined ? level : (LEVELS[level - 1] ?? EXACT);
  },
};

/** The question by whose answer a transaction knows the level of a taxon. */
export const questionOf = (taxon: string): string => `location privacy of ${taxon}`;

/** The level of an encounter; undefined where the transaction does not know that of its taxon. */
export function knownLevel(
  { taxonomy, location_privacy: own }: Body,
  { defaultLocationPrivacy: ofSite }: SiteSettings,
  answer: (question: string) => unknown,
): number | undefined {
  const inherited = typeof taxonomy === 'string' ? answer(questionOf(taxonomy)) : 0;
  if (inherited === undefined) return undefined;
  return Math.max(levelOf(own), Number(inherited), levelOf(ofSite));
}

/** What a field is in the two views. */
export const SHOWN = { obscured: 'shown', private: 'shown' } as const;
export const HIDDEN = { obscured: 'hidden', private: 'hidden' } as const;

/** A field of the place: that of the cell, and none in private. */
export const placeField = (name: keyof Place) =>
  ({
    obscured: {
      from: ['latitude', 'longitude', 'coordinate_uncertainty', 'location_id'],
      as: (encounter, { regions }) => obscuredPlace(encounter, regions)[name],
    },
    private: 'hidden',
  }) satisfies Record<Level, Generalization | 'hidden'>;

const inBoth = (as: (level: Level) => Generalization): Record<Level, Generalization> => ({
  obscured: as('obscured'),
  private: as('private'),
});

export const timeField = inBoth((level) => ({
  from: ['time'],
  as: ({ time }) => generalTime(time, level),
}));

export const levelField = inBoth((level) => ({ from: [], as: () => level }));

export const customFieldsField = inBoth(() => ({
  from: ['custom_fields'],
  as: ({ custom_fields: values }, { customFields }) =>
    publicCustomFields(values, customFields['encounter'] ?? []),
}));
