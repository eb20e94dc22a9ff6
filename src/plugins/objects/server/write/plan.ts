/** The plan of a checked change: its steps, as data, which `execute` carries out in the transaction of the change. */
import type { SqlValue } from '../database/sql';
import type { Referrer } from '../declare/completed';
import type { Leaving } from '../declare/behavior';
import type { TypeModel } from '../read/model';
import type { Body, Claim, Written } from '../declare/objects';

/** Writes the row of an object with its keys, its lists of references, its history and its consequences. */
export interface InsertStep {
  readonly kind: 'insert';
  readonly type: TypeModel;
  readonly id: string;
  readonly after: Body;
  readonly claim: Claim | null;
}

export interface UpdateStep {
  readonly kind: 'update';
  /** What the history calls it. */
  readonly action: string;
  readonly type: TypeModel;
  readonly id: string;
  readonly rowId: SqlValue;
  /** After the change. */
  readonly version: number;
  readonly before: Body;
  readonly after: Body;
  /** The row stays as it is, with its version: other tables have what changes. */
  readonly isQuiet?: boolean;
  /** Its edges are moved by a step of their own. */
  readonly movesEdges?: true;
}

export interface DeleteStep {
  readonly kind: 'delete';
  readonly type: TypeModel;
  readonly id: string;
  readonly rowId: SqlValue;
  readonly version: number;
  readonly before: Body;
}

/** An object that goes, or that others refer to instead. */
export interface RippleTarget {
  readonly rowId: SqlValue;
  readonly id: string;
}

/** Changes all objects that refer to one that goes, each with its version and history. */
export interface RippleStep {
  readonly kind: 'ripple';
  /** The field that refers. */
  readonly referrer: Referrer;
  readonly to: RippleTarget & { readonly type: TypeModel };
  /** What it refers to afterwards: null for nothing. */
  readonly into: RippleTarget | null;
}

/** Deletes all objects that refer to a deleted one, where they go with it. */
export interface DeleteWithStep extends Omit<RippleStep, 'kind' | 'into'> {
  readonly kind: 'delete with';
}

/** Moves the edges of objects to the one that they are merged into; its other ends change with it. */
export interface MoveEdgesStep {
  readonly kind: 'move edges';
  readonly type: TypeModel;
  readonly into: RippleTarget;
  readonly from: readonly RippleTarget[];
  /** Each of these objects before the merge, and the one that stays after it. */
  readonly before: readonly Body[];
  readonly after: Body;
}

/** What a type does before one of its objects is deleted. */
export interface BeforeDeleteStep extends Leaving {
  readonly kind: 'before-delete';
  readonly type: TypeModel;
}

export type WriteStep =
  | InsertStep
  | UpdateStep
  | DeleteStep
  | RippleStep
  | DeleteWithStep
  | MoveEdgesStep
  | BeforeDeleteStep;

export interface WritePlan {
  readonly written: Written;
  readonly steps: readonly WriteStep[];
}
