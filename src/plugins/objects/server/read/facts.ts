/** What a caller's view of an object depends on. */
import { sql, type Sql } from '../database/sql';
import type { Row } from '../database/work';
import type { TypeAccess } from '../rights/access';
import { reaches, type Extent } from '../rights/row';
import { EXACT } from '../rights/views';

/** The relations of the caller to one object, and its view of it. */
export interface Facts {
  /** The selected relations that the caller has. */
  readonly relations: ReadonlySet<string>;
  readonly view: string;
}

/** What is known of an object when nothing is asked of it. */
export const NO_FACTS: Facts = { relations: new Set(), view: EXACT };

/**
 * Columns with the relations of a caller to a row, and with the view of strangers. The caller's own view is exact if it has
 * one of the relations that see the object exactly, and else that of strangers.
 */
export class FactColumns {
  readonly columns: readonly Sql[];
  private readonly relations: readonly string[];
  private readonly exact: Extent;

  /** @param extents those that are asked about */
  constructor(access: TypeAccess, extents: readonly Extent[]) {
    const view = access.strangersView('o');
    this.exact = view ? access.exact() : 'all';
    const relations = [...extents, this.exact].flatMap((extent) =>
      extent === 'all' ? [] : extent,
    );
    this.relations = [...new Set(relations)];
    this.columns = [
      ...this.relations.map(
        (name) => sql`case when ${access.relation(name, 'o')} then 1 else 0 end`,
      ),
      ...(view && this.exact !== 'all' ? [view] : []),
    ];
  }

  /** @param from the index of the first of them in the row */
  read(row: Row, from: number): Facts {
    const { relations, exact } = this;
    if (this.columns.length === 0) return NO_FACTS;
    const had = new Set(relations.filter((_, at) => Number(row[from + at]) === 1));
    const view = reaches(exact, had) ? EXACT : String(row[from + relations.length]);
    return { relations: had, view };
  }
}
