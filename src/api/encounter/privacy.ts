/**
 * Location privacy of encounters (contract, section 6): who sees one as it is stored, and what each of its fields is for
 * everybody else. The functions of `domain/generalize.ts` make both what a read answers and what is kept
 * (`generalized.ts`).
 */
import { raw, type Sql } from '../../plugins/objects/server/database/sql';
import { levelFrom, levelOfEncounter, viewOfLevel } from './level';
import {
  EXACT,
  type Generalization,
  type ViewsDeclaration,
} from '../../plugins/objects/server/declare/views';
import type { PrivacySettings, SiteSettings } from '../../plugins/objects/server/site/settings';
import type { Body } from '../../plugins/objects/server/declare/objects';
import {
  generalTime,
  obscuredPlace,
  publicCustomFields,
  type HiddenLevel,
  type WirePlace,
} from './domain/generalize';
import { IS_WAITING } from './privacy-jobs';

/** The levels above open, in the order of their numbers from 1. */
export const LEVELS: readonly HiddenLevel[] = ['obscured', 'private'];

/** Who sees an encounter as it is stored, whatever its level; everybody else is a stranger. */
const NO_STRANGER = ['own', 'viewer', 'member', 'claimant'];

/** Where pictures are told instead of the place, what is obscured is told as what is private. */
export const toldAs = ({ hiddenTells }: PrivacySettings): readonly HiddenLevel[] =>
  hiddenTells === 'picture' ? ['private', 'private'] : LEVELS;

/** The number of the view of strangers of what has this level. */
export const viewLevel = (level: number, site: PrivacySettings): number => {
  const told = toldAs(site)[level - 1];
  return told === undefined ? 0 : LEVELS.indexOf(told) + 1;
};

export const encounterViews: ViewsDeclaration = {
  exact: { anonymous: 'claimant', user: NO_STRANGER },
  names: LEVELS,
  kept: {
    name: 'oms_generalized',
    row: 'encounter',
    level: 'level',
    fields: ['owner', 'time', 'latitude', 'longitude', 'location_id'],
    isWaiting: IS_WAITING,
  },
  untold: 'untold_since',
  others(row) {
    const columns = {
      own: row.column('location_privacy'),
      taxon: row.column('taxonomy'),
      protectedAs: row.column('protected_as'),
    };
    return viewOfLevel(levelOfEncounter(columns, row.privacy), EXACT, toldAs(row.privacy));
  },
  othersKnown(encounter, site, answer) {
    const level = knownLevel(encounter, site, answer);
    return level === undefined ? level : (LEVELS[viewLevel(level, site) - 1] ?? EXACT);
  },
};

/** The questions by whose answers a transaction knows the code of a taxon, and whether any taxon is protected. */
export const questionOf = (taxon: string): string => `location privacy of ${taxon}`;
export const IS_ANY_PROTECTED = 'whether any taxon is protected';

/** The level of an encounter; undefined where the transaction has not looked up all that it depends on. */
export function knownLevel(
  { taxonomy, protected_as: lent, location_privacy: own }: Body,
  site: SiteSettings,
  answer: (question: string) => unknown,
): number | undefined {
  const [taxon, protectedAs] = [taxonomy, lent].map((id) =>
    typeof id === 'string' ? answer(questionOf(id)) : null,
  );
  if (taxon === undefined || protectedAs === undefined) return undefined;
  const isUntaxed = taxon === null && protectedAs === null;
  const isAny = isUntaxed && site.protectUnidentified ? answer(IS_ANY_PROTECTED) : 0;
  if (isAny === undefined) return undefined;
  const codes = { taxon: numberIn(taxon), protectedAs: numberIn(protectedAs) };
  return levelFrom({ own, ...codes, isAnyProtected: Number(isAny) === 1 }, site);
}

const numberIn = (code: unknown): number | null => (code === null ? null : Number(code));

/** The level of a stored encounter, as a number. @param alias of its row */
export const storedLevel = (alias: string, privacy: PrivacySettings): Sql => {
  const column = (name: string): Sql => raw(`${alias}.${name}`);
  const columns = {
    own: column('location_privacy'),
    taxon: column('taxonomy_id'),
    protectedAs: column('protected_as_id'),
  };
  return levelOfEncounter(columns, privacy);
};

/** The same by its name. */
export const levelNameOf = (alias: string, privacy: PrivacySettings): Sql =>
  viewOfLevel(storedLevel(alias, privacy), 'open', LEVELS);

/** What a field is in the two views. */
export const SHOWN = { obscured: 'shown', private: 'shown' } as const;
export const HIDDEN = { obscured: 'hidden', private: 'hidden' } as const;
/** Of the person who reported what is not open: owner, cell and month lead to the open records of the same outing. */
export const OWNERS = { obscured: 'shown if owners', private: 'hidden' } as const;

/** A field of the place: that of the cell, and none in private. */
export const placeField = (name: keyof WirePlace) =>
  ({
    obscured: {
      from: ['latitude', 'longitude', 'coordinate_uncertainty', 'location_id'],
      as: (encounter, { regions }) => obscuredPlace(encounter, regions)[name],
    },
    private: 'hidden',
  }) satisfies Record<HiddenLevel, Generalization | 'hidden'>;

const inBoth = (
  as: (level: HiddenLevel) => Generalization,
): Record<HiddenLevel, Generalization> => ({
  obscured: as('obscured'),
  private: as('private'),
});

export const timeField = inBoth((level) => ({
  from: ['time'],
  as: ({ time }) => generalTime(time, level),
}));

/** Photographs link what they show: the site decides. Those that are told are read (`asset/level.ts`). */
export const photographsField = inBoth(() => ({
  from: ['assets'],
  as: ({ assets }, { hiddenTells }) => (hiddenTells === 'place' ? [] : assets),
}));

export const levelField = inBoth((level) => ({ from: [], as: () => level }));

export const customFieldsField = inBoth(() => ({
  from: ['custom_fields'],
  as: ({ custom_fields: values }, { customFields }) =>
    publicCustomFields(values, customFields['encounter'] ?? []),
}));
