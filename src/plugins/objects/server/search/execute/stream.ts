/** All that a search finds, in pages, for who reads it to the end: an export. */
import { originOf, type Caller } from '../../../../../core/caller';
import { readAhead } from '../../../../../core/read-ahead';
import { readParts } from '../../read/reader';
import type { Body, PagesOptions } from '../../declare/objects';
import { isIndexed } from '../conditions/indexed';
import { EXPORT_LIST, EXPORT_PAGE, EXPORT_SORTED } from '../language/limits';
import { readQuery } from '../language/query';
import type { Place } from '../language/sort';
import type { SearchMemory } from '../memory';
import { broadPage, probe, sortedPage } from '../plan/choose';
import { scansOf } from '../plan/scans';
import { countUpTo, pageAt } from './find';
import { runApart } from './run';
import { readerOf } from './search';

/** All that is found, in pages: these fields, as a read gives them. The next page is read while one is looked at. */
export async function* searchPages(
  ...query: Parameters<typeof pagesOf>
): AsyncGenerator<readonly Body[], void> {
  for await (const { page } of readAhead(pagesOf(...query))) yield await page;
}

/** Pages that are being read. */
async function* pagesOf(
  memory: SearchMemory,
  type: string,
  parameters: ReadonlyMap<string, string>,
  caller: Caller,
  options: PagesOptions,
): AsyncGenerator<{ readonly page: Promise<readonly Body[]> }, void> {
  const read = async (ids: readonly string[]): Promise<readonly Body[]> => {
    const parts = await readParts(memory.model, type, ids, caller, options.fields);
    return ids.flatMap((id): Body[] => {
      const found = parts.get(id);
      return found ? [found] : [];
    });
  };
  for await (const ids of readAhead(listsOf(memory, type, parameters, caller, options))) {
    for (let at = 0; at < ids.length; at += EXPORT_PAGE) {
      const page = memory.exported.run(originOf(caller), () =>
        read(ids.slice(at, at + EXPORT_PAGE)),
      );
      // It may fail before it is awaited.
      page.catch(() => undefined);
      yield { page };
    }
  }
}

/** The IDs of all that is found, in their order. */
async function* listsOf(
  memory: SearchMemory,
  type: string,
  parameters: ReadonlyMap<string, string>,
  caller: Caller,
  { invalid }: PagesOptions,
): AsyncGenerator<readonly string[], void> {
  const { model } = memory;
  const { resource, ...known } = model.type(type);
  readerOf(model, type, caller);
  const query = readQuery(resource, model.resources, model.site(), parameters, () => null, invalid);
  const run = runApart(model, caller);
  const runner = { inline: run, worker: run };
  let isBroad: boolean | null = null;
  let after: Place | null = null;
  do {
    // Anew for each list: settings and rights may change meanwhile.
    const { source, resolved } = await probe(memory, type, known.for(caller), query, null, runner);
    const scans = scansOf(source, resolved, query.sort);
    const hasIndex = resolved.spans.some((one) => one.by === 'words' || isIndexed(source, one));
    isBroad ??= !hasIndex || (await countUpTo(EXPORT_SORTED, scans.index, run)) > EXPORT_SORTED;
    const page = isBroad ? broadPage(scans, query.sort) : sortedPage(scans);
    const limit = isBroad ? EXPORT_PAGE : EXPORT_LIST;
    const list = await pageAt(page, { ...query, after, limit }, run);
    yield list.ids;
    after = list.next;
  } while (after);
}
