/** What the searches of one service know: it has been learnt from its database, or made for its callers, and ends with it. */
import { FairQueue } from '../../../../core/fair-queue';
import type { Database } from '../database/database';
import type { Resources } from '../declare/completed';
import type { CallerModel, Model } from '../read/model';
import type { SiteSettings } from '../site/settings';
import { makeSource, type LeadingColumns, type SearchedIn, type Source } from './conditions/source';

/** What was made last for the callers of a role, while the site is as it is. */
interface Sources extends Partial<Readonly<Record<SearchedIn, Source>>> {
  readonly site: SiteSettings;
}

export class SearchMemory {
  /** The types that were seen to have more than few rows: this is not asked again. */
  readonly large = new Set<string>();

  /** Pages of all exports that are read at once: most connections are left to others. */
  readonly exported = new FairQueue({ running: 4, waitingOfOne: 16, waiting: 64 });

  private readonly sources = new WeakMap<CallerModel, Sources>();
  private indexes: Promise<ReadonlyMap<string, ReadonlySet<string>>> | null = null;

  constructor(readonly model: Model) {}

  /**
   * The searched type as these callers find it.
   *
   * @param where `own` is for callers who see all objects exactly
   */
  source(type: string, compiled: CallerModel, where: SearchedIn): Source {
    const site = this.model.site();
    const known = this.sources.get(compiled);
    const others: Sources = known?.site === site ? known : { site };
    const found = others[where];
    if (found) return found;
    const made = makeSource(this.model, type, compiled, where);
    this.sources.set(compiled, { ...others, [where]: made });
    return made;
  }

  /** The first columns of the indexes of the types' tables, which the database is asked for once. */
  async leadingColumns(): Promise<LeadingColumns> {
    const { resources, database } = this.model;
    this.indexes ??= loadIndexes(resources, database).catch((error: unknown) => {
      // A database that was away is asked again.
      this.indexes = null;
      throw error;
    });
    const columns = await this.indexes;
    return (type, alias) => {
      const resource = resources.get(type);
      const table = alias === 's' ? resource?.searched?.name : resource?.table;
      return columns.get(table ?? '') ?? new Set();
    };
  }
}

async function loadIndexes(
  resources: Resources,
  database: Database,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const tables = [...resources.values()].flatMap(({ table, searched }) => [
    [table, false] as const,
    ...(searched ? [[searched.name, true] as const] : []),
  ]);
  const columns = new Map<string, ReadonlySet<string>>();
  for (const [table, isPartitioned] of tables) {
    const rows = await database.read(database.dialect.leadingColumns(table, isPartitioned));
    columns.set(table, new Set(rows.map(([name]) => String(name))));
  }
  return columns;
}
