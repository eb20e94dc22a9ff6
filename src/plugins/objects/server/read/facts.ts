/** What a caller's view of an object depends on. */
import { join, raw, sql, type Sql } from '../database/sql';
import type { Row } from '../database/work';
import type { TypeAccess } from '../rights/access';
import { reaches, type Extent } from '../declare/row';
import { EXACT } from '../declare/views';

/** The member of an object that says what the caller may do with it. */
export const PERMISSIONS = 'permissions';

/** The relations of the caller to one object, and its view of it. */
export interface Facts {
  /** The selected relations that the caller has. */
  readonly relations: ReadonlySet<string>;
  readonly view: string;
  /** Whether it has none of the relations that see the object exactly, whatever its view. */
  readonly isStranger: boolean;
}

/** What is known of an object when nothing is asked of it. */
export const NO_FACTS: Facts = { relations: new Set(), view: EXACT, isStranger: true };

/**
 * Columns with the relations of a caller to a row, as the bits of one number, and with the view of strangers. The caller's
 * own view is exact if it has one of the relations that see the object exactly, and else that of strangers.
 */
export class FactColumns {
  readonly columns: readonly Sql[];
  private readonly relations: readonly string[];
  private readonly exact: Extent;
  private readonly hasView: boolean;
  /** Callers have the same few facts again and again. */
  private readonly known = new Map<string, Facts>();

  /** @param extents those that are asked about */
  constructor(access: TypeAccess, extents: readonly Extent[]) {
    const view = access.strangersView('o');
    this.exact = view ? access.exact() : 'all';
    const relations = [...extents, this.exact].flatMap((extent) =>
      extent === 'all' ? [] : extent,
    );
    this.relations = [...new Set(relations)];
    const bits = this.relations.map(
      (name, at) =>
        sql`case when ${access.relation(name, 'o')} then ${raw(String(2 ** at))} else 0 end`,
    );
    this.hasView = view !== null && this.exact !== 'all';
    this.columns = [
      ...(bits.length > 0 ? [join(bits, ' + ')] : []),
      ...(view && this.hasView ? [view] : []),
    ];
  }

  /** The same object for the same facts. @param from the index of the first of them in the row */
  read(row: Row, from: number): Facts {
    const bits = this.relations.length > 0 ? Number(row[from]) : 0;
    const view = this.hasView ? String(row[from + this.columns.length - 1]) : EXACT;
    const key = `${bits} ${view}`;
    let facts = this.known.get(key);
    if (!facts) this.known.set(key, (facts = this.factsOf(bits, view)));
    return facts;
  }

  private factsOf(bits: number, strangersView: string): Facts {
    const relations = new Set(this.relations.filter((_, at) => (bits & (2 ** at)) !== 0));
    const isStranger = !reaches(this.exact, relations);
    return { relations, view: isStranger ? strangersView : EXACT, isStranger };
  }
}

/** What a caller may do with an object. */
export interface Permitted {
  readonly actions: readonly string[];
  /** The member of the object that says so, as a JSON object. */
  readonly text: string;
}

/** What callers may do with objects, by what they are to them. @param told the actions that are told of */
export function permittedBy(
  access: TypeAccess,
  told: readonly string[],
): (facts: Facts) => Permitted {
  const known = new Map<Facts, Permitted>();
  const permitted = ({ relations }: Facts): Permitted => {
    const actions = told.filter(
      (action) =>
        reaches(access.extent(action), relations) && reaches(access.offered(action), relations),
    );
    return { actions, text: JSON.stringify({ [PERMISSIONS]: actions }) };
  };
  return (facts) => {
    let found = known.get(facts);
    if (!found) known.set(facts, (found = permitted(facts)));
    return found;
  };
}
