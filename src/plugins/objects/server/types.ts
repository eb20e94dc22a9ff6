/** What the objects service offers to controllers, imports and the panel. */
import type { Caller } from '../../../core/caller';
import type { ApiError } from '../../../core/errors';
import type { Soon } from '../../../core/soon';
import type { Work } from './database/work';
import type {
  Apply,
  Body,
  BulkOptions,
  Change,
  Found,
  HistoryPage,
  Inspected,
  Listener,
  Matches,
  Outcome,
  PagesOptions,
  Preparation,
  ReadOptions,
  Suggestion,
  Written,
} from './declare/objects';
import type { ListPage, ListQuery } from './search/language/list-query';
import type { PlanDescription } from './search/plan/plan';

export interface Objects {
  /** The object as this caller may see it. @throws ApiError ENTITY_NOT_FOUND */
  read(type: string, id: string, caller: Caller, options?: ReadOptions): Soon<Found>;

  /**
   * These fields of the object as it is stored, with the caller's permissions. Never put them into an answer.
   *
   * @throws ApiError ENTITY_NOT_FOUND for an object that the caller may not read
   */
  inspect(type: string, id: string, caller: Caller, fields: readonly string[]): Promise<Inspected>;

  /**
   * Carries out one change, whole or not at all, in a transaction of its own or in the one of
   * `strapi.db.transaction` that is under way.
   *
   * @throws ApiError the refusal, with all issues in `invalid`
   */
  write(change: Change, caller: Caller): Promise<Written>;

  /** Checks a change as `write` would, without carrying it out. */
  check(change: Change, caller: Caller): Promise<void>;

  /**
   * Carries out several changes in one transaction, in their order: each finds what those before it have left. A refused
   * change has no effect itself.
   *
   * @param changes those that are refused already as their refusals
   * @returns one outcome per change, in their order, also where nothing is kept
   */
  writeAll(
    changes: readonly (Change | ApiError)[],
    caller: Caller,
    options?: BulkOptions,
  ): Promise<Outcome[]>;

  /**
   * Runs a plugin's own statements and changes of objects in one transaction. The changes are not prepared. The work
   * may be retried, so it must have no effects other than its statements.
   */
  transact<T>(caller: Caller, work: (apply: Apply) => Work<T>): Promise<T>;

  /** The objects that meet these parameters, as far as this caller may see them. @throws ApiError MALFORMED */
  find(type: string, parameters: ReadonlyMap<string, string>, caller: Caller): Promise<Matches>;
  /** How a search would be carried out. @throws ApiError as `find` */
  explain(
    type: string,
    parameters: ReadonlyMap<string, string>,
    caller: Caller,
  ): Promise<PlanDescription>;

  /**
   * The objects that these parameters suggest while somebody types, as far as this caller may see them, the best first.
   * @param language a BCP 47 tag
   * @throws ApiError MALFORMED
   */
  suggest(
    type: string,
    parameters: ReadonlyMap<string, string>,
    language: string,
    caller: Caller,
  ): Promise<readonly Suggestion[]>;

  /**
   * A page of a list by attributes, for callers who see all objects of the type exactly.
   *
   * @returns null if there are too many to be sorted so
   * @throws UnknownFilter for an attribute that lists know nothing of
   */
  list(type: string, query: ListQuery, caller: Caller): Promise<ListPage | null>;

  /**
   * All objects that meet these parameters of a search, page by page, as a read gives them but for `permissions`. What is
   * wrong is told with the first page.
   *
   * @throws ApiError MALFORMED
   */
  pages(
    type: string,
    parameters: ReadonlyMap<string, string>,
    caller: Caller,
    options: PagesOptions,
  ): AsyncGenerator<readonly Body[], void>;

  /**
   * These fields of objects as this caller may see them, by their IDs. Objects that it may not read are not among them.
   */
  parts(
    type: string,
    ids: readonly string[],
    caller: Caller,
    fields: readonly string[],
  ): Promise<ReadonlyMap<string, Body>>;

  /**
   * Computes all kept values from what is stored, each in a transaction of its own.
   *
   * @returns by table how many rows have changed, come or gone
   */
  rebuild(): Promise<ReadonlyMap<string, number>>;

  /**
   * The history of one object as this caller may see it, the newest entries first.
   *
   * @param parameters `limit`, `cursor`
   * @throws ApiError ENTITY_NOT_FOUND, LOGIN_REQUIRED, NOT_PERMITTED, MALFORMED
   */
  history(
    type: string,
    id: string,
    parameters: ReadonlyMap<string, string>,
    caller: Caller,
  ): Promise<HistoryPage>;

  /**
   * The history of everything, for administrators.
   *
   * @throws ApiError LOGIN_REQUIRED, NOT_PERMITTED, MALFORMED
   */
  searchHistory(parameters: ReadonlyMap<string, string>, caller: Caller): Promise<HistoryPage>;

  onWritten(listener: Listener): void;

  /** Sets the preparation of a type. */
  prepare(type: string, preparation: Preparation): void;

  /**
   * The ID of the object that has these values in the fields of one of the type's unique rules
   * (`{ scientific_name, rank }` of a taxonomy, `{ source, external_id }` of an encounter).
   *
   * @returns null when there is none
   */
  findUnique(type: string, values: Body): Promise<string | null>;

  /** The IDs of all objects that have these values, where what is unique depends on something else, too. */
  findNamesakes(type: string, values: Body): Promise<readonly string[]>;

  /** The same for many, which have values of the same fields, in their order. */
  findEach(type: string, all: readonly Body[]): Promise<readonly (string | null)[]>;
}
