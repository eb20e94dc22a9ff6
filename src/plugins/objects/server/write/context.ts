import type { Caller } from '../../../../core/caller';
import type { Affected } from '../define/behavior';
import type { HistoryHead, MentioningEntry } from '../history/record';
import type { Model } from '../model';
import type { SiteSettings } from '../site';
import type { ReferenceCache } from './reference-cache';

/** An entry of the history that is not written yet. */
export type Recorded = readonly [head: HistoryHead, entry: MentioningEntry];

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
  /** The history of a bulk that is not written yet. */
  readonly recorded?: Recorded[];
}
