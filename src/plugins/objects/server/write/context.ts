import type { Caller } from '../../../accounts/server/caller';
import type { Beforehand } from '../define/declaration';
import type { Model } from '../model';

/** What the writer is told beside the change. Time and IDs come in from outside. */
export interface WriteContext {
  readonly model: Model;
  readonly caller: Caller;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly newId: () => string;
  readonly beforehand: Beforehand;
}
