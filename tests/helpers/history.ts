import { randomUUID } from 'node:crypto';
import type { Answer } from './http';
import { uuid } from './ids';
import { at, parsed, type Json } from './json';
import type { TestService } from './service';
import { HISTORY } from './snapshot';
import type { Sender } from './world';

export type Headers = Readonly<Record<string, string>>;

/** An entry of the history, as it is answered. */
export interface Entry {
  readonly id: string;
  readonly object: string;
  readonly type: string;
  readonly at: string;
  readonly version: number;
  readonly action: string;
  readonly actor: Json;
  readonly changes: readonly Json[];
}

export interface HistoryPage {
  readonly history: readonly Entry[];
  readonly next: string | null;
}

/** @param path behind `/api/v0/` */
export const askHistory = (sender: Sender, path: string, headers: Headers): Promise<Answer> =>
  sender.send({ method: 'GET', url: `/api/v0/${path}`, headers });

/** A page. @throws Error when it is refused */
export async function historyPage(
  sender: Sender,
  path: string,
  headers: Headers,
): Promise<HistoryPage> {
  const { status, text } = await askHistory(sender, path, headers);
  if (status !== 200) throw new Error(`${path} answered ${status} ${text.slice(0, 1000)}`);
  return at(parsed(text), 'response') as HistoryPage;
}

const MAX_PAGES = 50;

/** The entries of all pages, one after the other. @param between is done after each page */
export async function walkHistory(
  sender: Sender,
  path: string,
  headers: Headers,
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<(readonly Entry[])[]> {
  const pages: (readonly Entry[])[] = [];
  let next: string | null = '';
  while (next !== null) {
    if (pages.length === MAX_PAGES) throw new Error(`${path} has no end`);
    const page: HistoryPage = await historyPage(
      sender,
      next === '' ? path : `${path}&cursor=${next}`,
      headers,
    );
    pages.push(page.history);
    next = page.next;
    await between();
  }
  return pages;
}

/** What an entry says of each path: before and after. */
export const changed = ({ changes }: Entry): Json =>
  Object.fromEntries(
    changes.map(({ path, before, after }) => [String(path), [before, after]] as const),
  );

/** Stores entries, by their columns, as if they had come about earlier. */
export async function storeHistory(
  { strapi }: Pick<TestService, 'strapi'>,
  entries: readonly Json[],
): Promise<void> {
  const rows = entries.map((entry) => ({
    id: randomUUID(),
    type: 'encounter',
    object: uuid(0xfeed),
    version: 1,
    at: Date.UTC(2020, 0, 1),
    action: 'update',
    actor_kind: 'user',
    changes: '[]',
    ...entry,
  }));
  await strapi.db.connection.batchInsert(HISTORY, rows, 90);
}
