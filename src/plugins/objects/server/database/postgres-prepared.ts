import type { ClientBase } from 'pg';

/**
 * How many statements whose text depends on a request a connection keeps prepared: to plan one of a search takes as long as to run
 * it, or several times as long, and a plan takes up to some 300 KiB.
 */
export const MAX_RECENT_PLANS = 32;

/** Texts that are remembered: one that comes again among so many others is prepared. */
const MAX_SEEN = 256;

/** What a client has prepared, which is not part of its types: it would not send a statement again that it takes for known. */
interface WithStatements {
  readonly connection?: { readonly parsedStatements?: Record<string, string> };
}

/**
 * The statements that connections keep prepared as long as they are among the last ones. What is asked once is not: it would take
 * the place of one that is asked again and again.
 */
export class RecentStatements {
  /** The names of texts, the last one asked for last; null for what was asked once. */
  private readonly seen = new Map<string, string | null>();
  private readonly prepared = new WeakMap<ClientBase, Set<string>>();
  private given = 0;

  /**
   * Makes room on the connection, which has nothing else to do.
   *
   * @returns the query with the name under which it keeps the statement from now on; as it is, where it does not keep it
   */
  async kept<Q extends { readonly text: string }>(client: ClientBase, query: Q): Promise<Q> {
    const name = this.nameOf(query.text);
    if (name === undefined) return query;
    const names = this.prepared.get(client) ?? new Set();
    this.prepared.set(client, names);
    names.delete(name);
    names.add(name);
    const [oldest] = names;
    if (names.size > MAX_RECENT_PLANS && oldest !== undefined) {
      names.delete(oldest);
      await forget(client, oldest);
    }
    return { ...query, name };
  }

  private nameOf(text: string): string | undefined {
    const known = this.seen.get(text);
    this.seen.delete(text);
    const name = known === undefined ? null : (known ?? `oms_recent_${(this.given += 1)}`);
    this.seen.set(text, name);
    const [oldest] = this.seen.keys();
    if (this.seen.size > MAX_SEEN && oldest !== undefined) this.seen.delete(oldest);
    return name ?? undefined;
  }
}

/** The server may not know one that has failed. */
async function forget(client: ClientBase, name: string): Promise<void> {
  await client.query(`deallocate ${name}`).catch(() => undefined);
  delete (client as ClientBase & WithStatements).connection?.parsedStatements?.[name];
}
