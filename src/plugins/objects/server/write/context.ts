import type { Caller } from '../../../../core/caller';
import type { Affected } from '../declare/behavior';
import type { Recorded } from './history-entries';
import type { Model } from '../read/model';
import type { SqlValue } from '../database/sql';
import type { Work } from '../database/work';
import type { Resource, Unique } from '../declare/completed';
import type { SiteSettings } from '../site/settings';
import type { Checked } from '../validate/validator';
import type { InsertStep } from './plan';
import type { ReferenceCache } from '../declare/reference-cache';
import type { SpareRows } from './spare-rows';

/** The insert of a plan, with the context of its change. */
export interface Insert {
  readonly context: WriteContext;
  readonly step: InsertStep;
}

/** The new objects of several changes whose rows are not written yet. */
export interface Inserts {
  /** Takes the insert of a plan, to write it later. @returns whether it did */
  take(context: WriteContext, step: InsertStep): boolean;
  /** Whether it is known that no object has a key. If one has it whose row is not written yet, it is written. */
  isFree(resource: Resource, rule: Unique, key: SqlValue): Work<boolean>;
  write(): Work<void>;
}

/** What the writer needs beside the change. Time and IDs are passed in. */
export interface WriteContext {
  readonly model: Model;
  readonly caller: Caller;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly newId: () => string;
  /** The site settings when the transaction began. */
  readonly site: SiteSettings;
  readonly references: ReferenceCache;
  /** The IDs of rows that the process has reserved. */
  readonly spareRows: SpareRows;
  /**
   * The changes that are carried out together, by type, for which what is kept is updated at its end: all of it in one go, where each change
   * would update the same rows again.
   */
  readonly followed?: Map<string, Affected[]>;
  readonly inserts?: Inserts;
  /** The history of several changes that is not written yet. */
  readonly recorded?: Recorded[];
  /** What the check of the body has found, where that was done before. */
  readonly checked?: Checked | null;
  /** The change is carried out side by side with others. */
  readonly isBesideOthers?: true;
}
