import type { Reports } from '../reports.js';
import type { Conflict, Values } from './items.js';
import type { OutboxStore } from './store.js';

export interface OutboxOptions {
  /** The ID of the user whose work it is; null for reports without an account. Each has a queue of its own. */
  readonly account: string | null;
  /** By default IndexedDB, and memory where there is none. */
  readonly store?: OutboxStore;
  /** Where the claims of sent reports without an account are kept, so that they can be adopted. */
  readonly reports?: Pick<Reports, 'keep'>;
  /**
   * Decides a conflict: the values that the fields are to have; a field that is left out stays as it is now. Null leaves the
   * change in the queue until `resolve`, as without this function.
   */
  readonly onConflict?: (conflict: Conflict) => Promise<Values | null> | Values | null;
}
