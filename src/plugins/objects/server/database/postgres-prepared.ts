import type { ClientBase } from 'pg';
import type { Statement } from './sql';
import { WORD_INDEX } from './word-index';

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
   * Makes room for it on the connection, which has nothing else to do. What is found by words is planned for its values each time: by
   * a plan for any words, one that all rows have takes three times as long.
   *
   * @returns the name under which it keeps a statement from now on; undefined for one that it does not keep
   */
  async nameFor(client: ClientBase, { sql, isAdHoc }: Statement): Promise<string | undefined> {
    if (!isAdHoc || sql.reads.includes(WORD_INDEX)) return undefined;
    const name = this.nameOf(sql.postgres);
    if (name === undefined) return undefined;
    const names = this.prepared.get(client) ?? new Set();
    this.prepared.set(client, names);
    names.delete(name);
    names.add(name);
    const [oldest] = names;
    if (names.size > MAX_RECENT_PLANS && oldest !== undefined) {
      names.delete(oldest);
      await forget(client, oldest);
    }
    return name;
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
