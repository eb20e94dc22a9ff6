import type { Caller } from '../../../../core/caller';
import type { Model } from '../model';
import type { SiteSettings } from '../site';
import type { ReferenceCache } from './reference-cache';

/** What the writer is told beside the change. Time and IDs come in from outside. */
export interface WriteContext {
  readonly model: Model;
  readonly caller: Caller;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly newId: () => string;
  /** The settings of the instance, as they were when the transaction began. */
  readonly site: SiteSettings;
  readonly references: ReferenceCache;
}
