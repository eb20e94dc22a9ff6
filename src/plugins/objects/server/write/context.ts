import type { Caller } from '../../../accounts/server/caller';
import type { Beforehand } from '../define/declaration';
import type { Model } from '../model';
import type { SiteSettings } from '../site';
import type { Asked } from './asked';

/** What the writer is told beside the change. Time and IDs come in from outside. */
export interface WriteContext {
  readonly model: Model;
  readonly caller: Caller;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly newId: () => string;
  readonly beforehand: Beforehand;
  /** The settings of the instance, as they were when the transaction began. */
  readonly site: SiteSettings;
  /** What this transaction has asked already. */
  readonly asked: Asked;
}
