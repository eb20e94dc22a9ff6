import type { SiteSettings } from '../../objects/server/site/settings';

/** What the server counts and the panel shows of what strangers are not told: numbers of encounters, and of photographs. */
export interface HiddenNow {
  /** All of them. */
  readonly encounters: number;
  /** Those that strangers are not told as they are stored. */
  readonly hidden: number;
  /** Of these, those that their individual alone makes so: the encounter names no protected taxon. */
  readonly byIndividual: number;
  /** Those that are so alone because they may be of a protected taxon (`protect_unidentified`). */
  readonly unidentified: number;
  /** Those of which strangers are not told who reported them (`show_owner_when_hidden`). */
  readonly ownerHidden: number;
  /** Those of which strangers are told nothing yet (`tell_hidden`), and individuals of which they are told nothing yet. */
  readonly untold: number;
  readonly untoldIndividuals: number;
  /** Photographs of hidden encounters that strangers are not told (`hidden_tells`). */
  readonly photographs: number;
  /** Photographs that open encounters do not tell, because their bytes are at hidden ones, too. */
  readonly withheld: number;
  /** The levels of encounters are being computed anew: photographs are counted by what is done of it. */
  readonly isUnderWay: boolean;
}

/** The settings of the site that decide over it. */
export const DECIDING = [
  ...(['defaultLocationPrivacy', 'protectUnidentified', 'readers', 'hiddenTells'] as const),
  ...(['tellHidden', 'showOwnerWhenHidden'] as const),
] as const;

/** These as they are proposed; what is absent stays. */
export type ProposedPrivacy = Partial<Pick<SiteSettings, (typeof DECIDING)[number]>>;

/** What visitors are told no more, or from then on: numbers of approved encounters, and of photographs. */
export interface HiddenChange {
  readonly hides: number;
  readonly shows: number;
  /** With their owner and orgs. */
  readonly hidesOwners: number;
  readonly showsOwners: number;
  /** Those that wait for the first of a month or year. */
  readonly tells: number;
  readonly hidesPhotographs: number;
  readonly showsPhotographs: number;
}
