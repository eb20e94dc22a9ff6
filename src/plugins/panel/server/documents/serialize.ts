/** Runs concurrent actions of one transaction one after the other. */
import type { Core } from '@strapi/strapi';

/** The last action of each transaction. */
const turns = new WeakMap<object, Promise<unknown>>();

/**
 * Runs an action after the earlier ones of the same `strapi.db.transaction`, and not at all if one of them fails. Code
 * that uses the document service may start several at once: without this, actions after the first refusal would run
 * outside of the transaction that has ended, and would not be rolled back.
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
