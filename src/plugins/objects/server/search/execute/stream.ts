/** All that a search finds, in pages, for who reads it to the end: an export. */
import { originOf, type Caller } from '../../../../../core/caller';
import { FairQueue } from '../../../../../core/fair-queue';
import { readAhead } from '../../../../../core/read-ahead';
import type { Model } from '../../model';
import { readParts } from '../../read/reader';
import type { Body, PagesOptions } from '../../types';
import { EXPORT_LIST, EXPORT_PAGE, EXPORT_SORTED } from '../language/limits';
import { ask } from '../plan/choose';
import { readQuery } from '../language/query';
import { runApart } from './run';
import { countUpTo, pageAt, readerOf } from './search';
import { isIndexed } from '../plan/candidates';
import type { Place } from '../conditions/sort-keys';
import { sourceOf } from '../conditions/source';
import { withSpans } from '../plan/scans';

/** All that is found, in pages: these fields, as a read gives them. The next page is read while one is looked at. */
export async function* searchPages(
  ...query: Parameters<typeof pagesOf>
): AsyncGenerator<readonly Body[], void> {
  for await (const { page } of readAhead(pagesOf(...query))) yield await page;
}

/** Pages of all exports that are read at once: most connections are left to others. */
const reading = new FairQueue({ running: 4, waitingOfOne: 16, waiting: 64 });

/** Pages that are being read. */
async function* pagesOf(
  model: Model,
  type: string,
  parameters: ReadonlyMap<string, string>,
  caller: Caller,
  options: PagesOptions,
): AsyncGenerator<{ readonly page: Promise<readonly Body[]> }, void> {
  const read = async (ids: readonly string[]): Promise<readonly Body[]> => {
    const parts = await readParts(model, type, ids, caller, options.fields);
    return ids.flatMap((id): Body[] => {
      const found = parts.get(id);
      return found ? [found] : [];
    });
  };
  for await (const ids of readAhead(listsOf(model, type, parameters, caller, options))) {
    for (let at = 0; at < ids.length; at += EXPORT_PAGE) {
      const page = reading.run(originOf(caller), () => read(ids.slice(at, at + EXPORT_PAGE)));
      // It may fail before it is awaited.
      page.catch(() => undefined);
      yield { page };
    }
  }
}

/** The IDs of all that is found, in their order. */
async function* listsOf(
  model: Model,
  type: string,
  parameters: ReadonlyMap<string, string>,
  caller: Caller,
  { invalid }: PagesOptions,
): AsyncGenerator<readonly string[], void> {
  const { resource, ...known } = model.type(type);
  readerOf(model, type, caller);
  const query = readQuery(resource, model.resources, model.site(), parameters, () => null, invalid);
  const run = runApart(model, caller);
  let isBroad: boolean | null = null;
  let after: Place | null = null;
  do {
    // Anew for each list: settings and rights may change meanwhile.
    const source = sourceOf(model, type, known.for(caller));
    const { ways } = (await ask(source, query, null, () => run)).planOf();
    const hasIndex = withSpans(query.conditions).some(
      (one) => one.by === 'words' || isIndexed(source, one),
    );
    isBroad ??= !hasIndex || (await countUpTo(EXPORT_SORTED, ways.all, run)) > EXPORT_SORTED;
    const limit = isBroad ? EXPORT_PAGE : EXPORT_LIST;
    const list = await pageAt({ ...query, after, limit }, ways, isBroad, run);
    yield list.ids;
    after = list.next;
  } while (after);
}
