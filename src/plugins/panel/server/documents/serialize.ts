/** Keeps apart what is asked at the same time within one transaction. */
import type { Core } from '@strapi/strapi';

/** The last thing that was asked within a transaction. */
const turns = new WeakMap<object, Promise<unknown>>();

/**
 * Runs an action after those that were asked before it within the same `strapi.db.transaction`, and
 * not at all when one of them fails. The panel deletes a selection all at once: without this, what
 * comes after the first refusal finds the transaction ended, and is kept.
 */
export async function inTurn<T>(strapi: Core.Strapi, action: () => Promise<T>): Promise<T> {
  if (!strapi.db.inTransaction()) return action();
  return strapi.db.transaction(({ trx }: { trx: object }) => {
    const turn = (turns.get(trx) ?? Promise.resolve()).then(action);
    turns.set(trx, turn);
    const forget = (): void => {
      if (turns.get(trx) === turn) turns.delete(trx);
    };
    turn.then(forget, forget);
    return turn;
  });
}
