import type { Caller } from '../../../../core/caller';
import type { Affected } from '../define/behavior';
import type { HistoryHead, MentioningEntry } from '../history/record';
import type { Model } from '../model';
import type { SqlValue } from '../database/sql';
import type { Work } from '../database/work';
import type { Resource, Unique } from '../define/completed';
import type { SiteSettings } from '../site';
import type { InsertStep } from './plan';
import type { ReferenceCache } from './reference-cache';

/** An entry of the history that is not written yet. */
export type Recorded = readonly [head: HistoryHead, entry: MentioningEntry];

/** The new objects of a bulk whose rows are not written yet. */
export interface Inserts {
  /** Takes the insert of a plan, to write it later. @returns whether it did */
  take(step: InsertStep): boolean;
  /** Whether it is known that no object has a key. If one has it whose row is not written yet, it is written. */
  isFree(context: WriteContext, resource: Resource, rule: Unique, key: SqlValue): Work<boolean>;
  write(context: WriteContext): Work<void>;
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
  /**
   * The changes of a bulk, by type, for which what is kept is updated at its end: all of it in one go, where each change
   * would update the same rows again.
   */
  readonly followed?: Map<string, Affected[]>;
  readonly inserts?: Inserts;
  /** The history of a bulk that is not written yet. */
  readonly recorded?: Recorded[];
  /** The change is carried out side by side with others. */
  readonly isBesideOthers?: true;
}
