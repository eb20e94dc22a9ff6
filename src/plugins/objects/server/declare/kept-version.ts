import type { Work } from '../database/work';

/** What decides over values that are kept in place, beside the objects that they are made of: as data, compared by its JSON. */
export interface KeptDeclaration {
  /** Of the code that makes them: counted up when it makes others of the same objects. */
  readonly made: unknown;
  /** Who may be told them: values that were made by another rule are withheld until they are made anew. */
  readonly told: unknown;
}

export interface KeptVersionOf<Context> {
  readonly declared: KeptDeclaration;
  /**
   * Leaves the work of making all of them anew, which is done in the background, and removes at once what may be told to
   * more than the present rule allows. In the transaction of a start that has found another declaration.
   */
  readonly renewAll: (context: Context) => Work<void>;
  /** Those that are withheld until `complete` is called; otherwise `renewAll` has removed what may not be told. */
  readonly isWithheld?: true;
}
