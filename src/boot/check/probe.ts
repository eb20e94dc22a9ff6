/** What a check of an installation looks for. */
import type { SqlValue } from '../../plugins/objects/server/database/sql';

/** As what something is counted. */
export const CHECK_KINDS = [
  'references',
  'links',
  'history',
  'figures',
  'levels',
  'projections',
  'files',
  'renditions',
  'damaged files',
  'orphaned files',
] as const;

export type CheckKind = (typeof CHECK_KINDS)[number];

/** One thing that is not as it should be. */
export interface FaultFound {
  /** By which it is looked for again. */
  readonly key: SqlValue;
  /** For the operator: a type and an ID. */
  readonly name: string;
}

export interface Probe {
  readonly kind: CheckKind;
  /** Whether it is computed in the background, so that it may differ for a time. */
  readonly isKept?: true;
  /** What is wrong, some at a time. */
  find(): AsyncIterable<readonly FaultFound[]>;
  /** Those of them that are still wrong. */
  again(found: readonly FaultFound[]): Promise<readonly FaultFound[]>;
  /** Makes them right; none where that cannot be computed. */
  repair?(found: readonly FaultFound[]): Promise<void>;
}
