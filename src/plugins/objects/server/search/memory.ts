/** What the searches of one service know: it has been learnt from its database, or made for its callers, and ends with it. */
import { FairQueue } from '../../../../core/fair-queue';
import type { Database } from '../database/database';
import type { CallerModel, Model } from '../read/model';
import type { SiteSettings } from '../site/settings';
import { notReady, type Earlier, type Projections } from './projection/versions/live';
import { earlierSource } from './conditions/earlier';
import { makeSource, type LeadingColumns, type SearchedIn, type Source } from './conditions/source';

/** What was made last for the callers of a role, while the site is as it is. */
interface Sources extends Partial<Readonly<Record<SearchedIn, Source>>> {
  readonly site: SiteSettings;
  readonly earlier: Earlier | null;
}

export class SearchMemory {
  /** The types that were seen to have more than few rows: this is not asked again. */
  readonly large = new Set<string>();

  /** Pages of all exports that are read at once: most connections are left to others. */
  readonly exported = new FairQueue({ running: 4, waitingOfOne: 16, waiting: 64 });

  private readonly expectWords = (type: string): void => {
    if (this.projections.withheld.has(type)) notReady();
  };

  private readonly sources = new WeakMap<CallerModel, Sources>();
  private readonly indexes = new Map<string, Promise<ReadonlySet<string>>>();

  constructor(
    readonly model: Model,
    private readonly projections: Projections,
  ) {}

  /**
   * The searched type as these callers find it.
   *
   * @param where `own` is for callers who see all objects exactly
   * @throws ApiError NOT_READY where no table can answer yet
   */
  source(type: string, compiled: CallerModel, where: SearchedIn): Source {
    const site = this.model.site();
    const earlier = where === 'own' ? null : this.projections.earlier(type);
    const known = this.sources.get(compiled);
    const others: Sources =
      known?.site === site && known.earlier === earlier ? known : { site, earlier };
    const found = others[where];
    if (found) return found;
    const made = earlier
      ? earlierSource(this.model, type, compiled, where, earlier)
      : makeSource(this.model, type, compiled, where);
    const source = { ...made, expectWords: this.expectWords };
    this.sources.set(compiled, { ...others, [where]: source });
    return source;
  }

  /** The first columns of the indexes of the types' tables, which the database is asked for once. */
  async leadingColumns(): Promise<LeadingColumns> {
    const tables = [...this.model.resources.values()].flatMap(({ type, table, searched }) => {
      const read = searched && this.projections.tableRead(type);
      return [{ type, alias: 'o', table }, ...(read ? [{ type, alias: 's', table: read }] : [])];
    });
    const columns = new Map<string, ReadonlySet<string>>();
    for (const { type, alias, table } of tables)
      columns.set(`${type} ${alias}`, await this.columnsIn(table, alias === 's'));
    return (type, alias) =>
      columns.get(`${type} ${alias === 's' ? 's' : 'o'}`) ?? new Set<string>();
  }

  private columnsIn(table: string, isPartitioned: boolean): Promise<ReadonlySet<string>> {
    const known = this.indexes.get(table);
    if (known) return known;
    const asked = loadIndexes(table, isPartitioned, this.model.database).catch((error: unknown) => {
      // A database that was away is asked again.
      this.indexes.delete(table);
      throw error;
    });
    this.indexes.set(table, asked);
    return asked;
  }
}

async function loadIndexes(
  table: string,
  isPartitioned: boolean,
  database: Database,
): Promise<ReadonlySet<string>> {
  const rows = await database.read(database.dialect.leadingColumns(table, isPartitioned));
  return new Set(rows.map(([name]) => String(name)));
}
