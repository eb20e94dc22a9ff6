/** Objects, changes of them, and what is answered of them. */
import type { Caller } from '../../../../core/caller';
import type { ApiError, Issue } from '../../../../core/errors';
import type { Notice } from '../../../../core/notices';
import type { Work } from '../database/work';

/** An unchecked body: its fields by their wire names. */
export type Body = Readonly<Record<string, unknown>>;

/** A change of one object. */
export type Change = CreateChange | UpdateChange | DeleteChange | ActionChange;

interface OfType {
  readonly type: string;
  /** The findings of the type's preparation, for the type's own rules. */
  readonly findings?: Body;
  /**
   * Normalized values that the service itself sets: derived fields, and the replacement of a secret. Never a caller's
   * input.
   */
  readonly set?: Body;
}

interface OfObject extends OfType {
  readonly id: string;
  readonly ifMatch?: IfMatch;
}

export interface CreateChange extends OfType {
  readonly op: 'create';
  readonly body: Body;
  /** The claim by which a caller without an account has access to the object later. */
  readonly claim?: Claim;
}

/** A secret that is handed out once, as it is kept. */
export interface Claim {
  /** SHA-256, hex. */
  readonly hash: string;
  /** Milliseconds since 1970; null for as long as its relation lasts. */
  readonly endsAt: number | null;
  /** Of an object that can be adopted by it: the list of those that come with it, and are adopted, too. */
  readonly brings?: string;
}

export interface UpdateChange extends OfObject {
  readonly op: 'update';
  readonly body: Body;
}

export interface DeleteChange extends OfObject {
  readonly op: 'delete';
}

/** One of the type's own actions. */
export interface ActionChange extends OfObject {
  readonly op: 'act';
  readonly action: string;
  readonly body: Body;
}

/** The versions that `If-Match` allows; `*` for any. */
export type IfMatch = '*' | readonly number[];

/** The result of a change. `version` is that after the change, or the last one of a deleted object. */
export interface Written {
  readonly id: string;
  readonly version: number;
  /** Of an action that was only tried: what it would do. */
  readonly preview?: Body;
  /** What the user should be told of it. */
  readonly notices?: readonly Notice[];
}

export type Outcome =
  | { readonly ok: true; readonly written: Written }
  | { readonly ok: false; readonly error: ApiError };

export interface BulkOptions {
  /** All changes or none: if one is refused, none is kept. */
  readonly atomic?: boolean;
  /** Nothing is kept. */
  readonly dryRun?: boolean;
  /** They are a part of a transaction of the caller, who rolls it back when they fail; refusals are no failure. */
  readonly withoutSavepoint?: boolean;
}

export interface ReadOptions {
  /** Reference fields whose targets are summarized beside the object. */
  readonly include?: readonly string[];
  /** The fields to return; all by default. */
  readonly fields?: readonly string[];
}

/** An object as one caller may see it. */
export interface Found {
  /** The object as JSON text, ready for the wire. */
  readonly text: string;
  readonly version: number;
  /** Whether this caller may update it. */
  readonly mayUpdate: boolean;
}

/** Some of an object as it is stored, for the service itself. */
export interface Inspected {
  readonly object: Body;
  /** Whether the caller may carry out an action on it. */
  readonly may: (action: string) => boolean;
}

/** What was found: IDs in their order. */
export interface Matches {
  readonly ids: readonly string[];
  /** The number of matches, 10,000 at most unless an exact one was wanted; absent where none was. */
  readonly total?: number;
  readonly isTotalExact?: boolean;
  readonly limit: number;
  /** The cursor of the next page, null without one. */
  readonly next: string | null;
  /** The objects as JSON texts, in the same order, if they were wanted. */
  readonly objects?: readonly string[];
  /** Summaries of what they refer to, if they were wanted. */
  readonly included?: object;
}

/** An object that is suggested while somebody types, as it is answered. */
export interface Suggestion {
  readonly id: string;
  /** What the object is called, and the name in which what was typed has been found. */
  readonly text: unknown;
  readonly matched: string;
  /** What a card needs of it, without its ID and `text`; of what it refers to the display name. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** What is read of all objects that a search finds. */
export interface PagesOptions {
  /** The fields that are given. */
  readonly fields: readonly string[];
  /** What else is wrong with the call, beside the parameters. */
  readonly invalid: readonly Issue[];
}

/** A page of the history as one caller may see it, as it is answered. */
export interface HistoryPage {
  readonly history: readonly object[];
  /** The cursor of the next page, null without one. */
  readonly next: string | null;
}

/** Called for each object that was created, changed or deleted, after the commit. */
export type Listener = (type: string, id: string) => void;

/**
 * Prepares a change of a type before its transaction begins, for work that cannot be done in a transaction: hashing,
 * proofs. It gives the change to carry out.
 *
 * @throws ApiError which refuses it
 */
export type Preparation = <C extends Change>(change: C, caller: Caller) => Promise<C>;

/**
 * Carries out a change as a part of the transaction. @throws ApiError which rolls the transaction back, unless it is
 * caught
 */
export type Apply = (change: Change) => Work<Written>;
