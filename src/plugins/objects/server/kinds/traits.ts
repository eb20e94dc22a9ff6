/**
 * What the rest of the service asks of a kind, besides how it is stored and checked (`kind.ts`): it compares no kind with a
 * name. No kind inherits these from the one that it is made of.
 */
import type { Field } from '../declare/completed';
import type { Kind } from '../declare/kinds';

interface Traits {
  /** What a value refers to: one object, those of a list, those of a list with a type for each, or the file of one. */
  readonly refers?: 'one' | 'list' | 'edges' | 'file';
  /** A time as it was written down, whose span is in two further columns; or an instant. */
  readonly moment?: 'span' | 'instant';
  /** How numbers are compared, where values are numbers. */
  readonly number?: 'any' | 'whole';
  /** Whether objects are sorted by a key that is made of the text. */
  readonly hasSortKey?: true;
  /** Whether it is one of few values that a declaration lists. */
  readonly isChoice?: true;
  /** Whether it is true or false. */
  readonly isTruth?: true;
  /** Whether it is a list of texts, which searches compare one by one. */
  readonly isTextList?: true;
  /** Whether it has a text for each of several languages. */
  readonly isTranslated?: true;
  /** Whether it has the names of an animal, each with the context in which it is used. */
  readonly isNames?: true;
  /** Whether it is a list of what was measured. */
  readonly isMeasured?: true;
  /** Whether it has texts by the terms of their sources. */
  readonly isByTerm?: true;
  /** What the site says of its values: which fields there are in it, or which regions. */
  readonly ofSite?: 'fields' | 'regions';
  /** Whether it leads to a picture of the object: one of its own, or that of another object. */
  readonly picture?: 'own' | 'other';
  /** Whether no caller ever reads it. */
  readonly isSecret?: true;
  /** Whether it is the ID of the object itself. */
  readonly isOwnId?: true;
}

const TRAITS: Partial<Record<Kind, Traits>> = {
  id: { isOwnId: true },
  text: { hasSortKey: true },
  name: { hasSortKey: true },
  choice: { isChoice: true },
  number: { number: 'any' },
  integer: { number: 'whole' },
  boolean: { isTruth: true },
  time: { moment: 'span' },
  instant: { moment: 'instant' },
  individualNames: { isNames: true },
  measurements: { isMeasured: true },
  textsByTerm: { isByTerm: true },
  customFields: { ofSite: 'fields' },
  region: { ofSite: 'regions' },
  localized: { isTranslated: true },
  texts: { isTextList: true },
  reference: { refers: 'one' },
  references: { refers: 'list' },
  relationships: { refers: 'edges' },
  path: { refers: 'file', picture: 'other' },
  renditions: { picture: 'own' },
  secret: { isSecret: true },
};

const NONE: Traits = {};

type Of = Pick<Field, 'kind'>;

/** What can be said of the values of a field. */
export const traitsOf = ({ kind }: Of): Traits => TRAITS[kind] ?? NONE;

/** Whether a value is the ID of one other object. */
export const isReference = (field: Of): boolean => traitsOf(field).refers === 'one';

/** Whether a value is the path of the file of another object. */
export const isFilePath = (field: Of): boolean => traitsOf(field).refers === 'file';

/** Whether a value is a list of IDs, or of objects with an ID each. */
export const isReferenceList = (field: Of): boolean =>
  ['list', 'edges'].includes(traitsOf(field).refers ?? '');

/** Whether a value is a time as it was written down: its columns are the text, and the start and end of its span. */
export const isSpan = (field: Of): boolean => traitsOf(field).moment === 'span';

export const isInstant = (field: Of): boolean => traitsOf(field).moment === 'instant';

export const isSecret = (field: Of): boolean => traitsOf(field).isSecret === true;
