/** What a declaration may say in code: rules and actions, what a change does beside it, what is kept for reading. */
import type { Caller } from '../../../../core/caller';
import type { ErrorKey, Expected, Issue } from '../../../../core/errors';
import type { Notice } from '../../../../core/notices';
import type { Dialect } from '../database/database';
import type { Sql, SqlValue } from '../database/sql';
import type { Work } from '../database/work';
import type { KeptCheckOf } from './kept-check';
import type { KeptVersionOf } from './kept-version';
import type { Kind } from './kinds';
import type { SiteSettings } from '../site/settings';
import type { Body, Change } from './objects';
import type { ReferenceCache } from './reference-cache';

/** The table of a relation to several objects. */
export interface Link {
  readonly table: string;
  /** Columns: the object's row, the row that it refers to, the position in the list. */
  readonly source: string;
  readonly target: string;
  readonly order: string;
}

/** The names of tables and columns. */
export interface StoredNames {
  /** The table of a type. */
  readonly table: (type: string) => Sql;
  /** The column of a field of a type. */
  readonly column: (type: string, field: string) => Sql;
  /** The join table of a list of references of a type. */
  readonly link: (type: string, field: string) => Link;
  /** The type that a field refers to. */
  readonly target: (type: string, field: string) => string;
  /** The field by which the objects of a type form a tree. */
  readonly treeField: (type: string) => string;
  /** The column by which an object of a type is another name of one; null where there are no other names. */
  readonly aliasColumn: (type: string) => string | null;
}

/** A field of a body that is not a field of the object. */
export interface InputDeclaration {
  readonly kind: Kind;
  readonly description: string;
  readonly required?: true;
  /** It has to be there, and may be null. */
  readonly present?: true;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly choices?: readonly string[];
  readonly rejects?: (text: string) => Expected | null;
}

/** The body of a call, by its fields. */
export type BodyDeclaration = Readonly<Record<string, InputDeclaration>>;

/**
 * A call on an object beside those that every type has: `POST /api/v0/<type>/{id}/<action>`. Who may make it is said by
 * the row of its name in `rights`; the history has its name.
 */
export type ActionDeclaration = PlainAction | MergeAction;

interface AnyAction {
  /** One line for the OpenAPI document. */
  readonly summary: string;
  readonly body: BodyDeclaration;
  /** The keys with which the plan may refuse it. */
  readonly refusals: readonly ErrorKey[];
}

/** An action that changes fields of its object. */
export interface PlainAction extends AnyAction {
  readonly merges?: undefined;
  /**
   * The fields that change, derived ones too, with their new values. It only reads.
   *
   * @param before the object as it is stored
   * @param body checked
   * @throws ApiError the refusal: MALFORMED, then one of a state
   */
  readonly plan: (before: Body, body: Body, context: ActionContext) => Work<Body>;
  /** What it changes of other objects, if it changes its own. It only reads. */
  readonly others?: (
    before: Body,
    after: Body,
    context: ActionContext,
  ) => Work<readonly OtherChange[]>;
  /** Who may carry it out knows of the object by that, and need not be able to read it. */
  readonly reveals?: true;
}

/** A change of several objects of one type, whoever may change them. */
export interface OtherChange {
  readonly type: string;
  readonly ids: readonly string[];
  /** The fields that change, with their new values. */
  readonly changed: Body;
}

/** An action by which other objects of the type become this one (`mergedInto`). */
export interface MergeAction extends AnyAction {
  readonly reveals?: undefined;
  readonly merges: {
    /** The list in the body with the IDs of the other objects. The caller needs the same right to each of them. */
    readonly from: string;
    /** The boolean in the body with which nothing is changed, and the answer is `MergePlan.preview`. */
    readonly dryRun: string;
    /** The fields of the object that the body may give, beside its own. They are checked as those of an update. */
    readonly fields: readonly string[];
    /** The fields that stay with the others: their owner, who may read their history. */
    readonly kept: readonly string[];
    /** The JSON Schemas of the properties of `MergePlan.preview`. */
    readonly preview: Readonly<Record<string, Body>>;
  };
  /** What the object gets of the others. It only reads. */
  readonly plan: (into: Body, from: readonly Body[], context: MergeContext) => Work<MergePlan>;
}

export interface MergeContext {
  readonly caller: Caller;
  readonly dialect: Dialect;
  readonly names: StoredNames;
  /** The names of the fields that the body gives. */
  readonly given: ReadonlySet<string>;
  /** Their values. */
  readonly values: Body;
  /** The condition that the caller may read the object of a type in the row of this alias, and sees it as it is stored. */
  readonly seesExactly: (type: string, alias: string) => Sql;
}

export interface MergePlan {
  /** Fields that are written as by an update, in addition to those of the body. */
  readonly united: Body;
  /** The edges of the object after the merge, by their fields. */
  readonly edges: Body;
  /** Why the merge is impossible; those at paths of the preview's conflicts are no refusal of a dry run. */
  readonly issues: readonly Issue[];
  readonly preview: Body & { readonly conflicts: readonly { readonly path: string }[] };
}

/** The context of the plan of an action. */
export interface ActionContext {
  readonly caller: Caller;
  readonly site: SiteSettings;
  readonly dialect: Dialect;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** What the user should be told if it succeeds: the plan adds to it. */
  readonly notices: Notice[];
}

/** The context of rules and of functions that compute a field. */
export interface RuleContext {
  readonly caller: Caller;
  readonly site: SiteSettings;
  readonly dialect: Dialect;
  readonly names: StoredNames;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The stored object, null on create. */
  readonly before: Body | null;
  /** The findings of the type's preparation. */
  readonly findings: Readonly<Record<string, unknown>>;
  /** The fields of the body that are not malformed, normalized; those that are never stored too. */
  readonly given: Body;
  /** The objects that become this one with the change. */
  readonly merged: readonly string[];
  /** What the transaction has looked up. */
  readonly references: ReferenceCache;
  /** What the user should be told if the change succeeds: rules add to it. */
  readonly notices: Notice[];
}

/** A rule for the state of an object after the change. */
export interface Rule {
  /** The fields that it depends on: it is not checked while one of them is malformed. */
  readonly fields: readonly string[];
  readonly check: (after: Body, context: RuleContext) => Work<readonly Issue[]>;
  /** Looks up what `check` will ask for of new objects. Their values are not checked yet. */
  readonly lookAhead?: (objects: readonly Body[], context: LookUpContext) => Work<void>;
}

/** What a look-up needs. */
export type LookUpContext = Pick<RuleContext, 'dialect' | 'names' | 'references'>;

/** The object with which another one would clash by a unique rule, and where that is told. */
export interface Holder {
  readonly path: string;
  readonly id: string;
}

/** A change that has been carried out in a transaction that is still open. */
export interface ChangeMade {
  readonly op: Change['op'];
  readonly id: string;
  readonly rowId: SqlValue;
  /** The object before and after the change, with all fields. */
  readonly before: Body | null;
  readonly after: Body | null;
}

/** The context of a consequence. */
export type ConsequenceContext = Pick<RuleContext, 'dialect' | 'caller' | 'site' | 'now'>;

/** An object that is going to be deleted. */
export interface Leaving {
  readonly id: string;
  readonly rowId: SqlValue;
}

/** A step before an object is deleted, in the transaction of its deletion, while the references to it still exist. */
export type BeforeDelete = (
  leaving: Leaving,
  context: ConsequenceContext & { readonly newId: () => string },
) => Work<void>;

/**
 * The state of an object after an update, where that depends on its present state and on who asks.
 *
 * @param before as it is stored
 * @param after as the body asks for it, checked
 * @throws ApiError of a side that may not do this, or of a state
 */
export type Transition = (before: Body, after: Body, context: RuleContext) => Body;

/** A further effect of a change, in its transaction. @throws ApiError which rolls the change back */
export type Consequence = (made: ChangeMade, context: ConsequenceContext) => Work<void>;

/** One object that has changed, with the fields that a kept value depends on; null where there is none. */
export interface Affected {
  readonly id: string;
  readonly rowId: SqlValue;
  readonly before: Body | null;
  readonly after: Body | null;
}

/** The context of kept values. */
export interface KeptContext {
  readonly dialect: Dialect;
  readonly names: StoredNames;
  readonly site: SiteSettings;
  /** Who makes the change; null in the background. */
  readonly caller: Caller | null;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether other servers may write to the database. */
  readonly isShared: boolean;
  /** What the transaction has looked up. */
  readonly references: ReferenceCache;
  /** Whether a change whose transaction fails at a key that is taken is carried out again, alone. */
  readonly isRetried: boolean;
  /** Makes what searches need of objects anew, after a change of what is kept of them. @param ids of their rows */
  readonly renewSearch: (type: string, ids: readonly SqlValue[]) => Work<void>;
}

/** Columns that hold what is kept. */
export interface KeptColumns {
  readonly table: string;
  /** The column that tells which object a row is of. */
  readonly key: string;
  readonly columns: readonly string[];
}

export type KeptCheck = KeptCheckOf<KeptContext>;

/**
 * What follows from objects and is kept for reading: figures, generalized values. It is updated in the transaction of
 * each change of what it depends on, and moves neither a version nor a history.
 */
export interface Kept {
  readonly name: string;
  /** The type whose changes it follows, and the fields of it on which it depends. */
  readonly of: string;
  readonly fields: readonly string[];
  readonly keptIn: readonly KeptColumns[];
  /** Updates it after changes of these objects, of which it depends on at least one field that has changed. */
  readonly follow: (affected: readonly Affected[], context: KeptContext) => Work<void>;
  /** Looks up what `follow` will ask for of new objects. Their values are not checked yet. */
  readonly lookAhead?: (objects: readonly Body[], context: KeptContext) => Work<void>;
  /** Given all objects that a change concerns at once, where they share what is kept; otherwise some at a time. */
  readonly followsAtOnce?: true;
  /** Checks of further changes ask for it: it is updated right after each change, also within a bulk. */
  readonly neededByChecks?: true;
  /** Computes it for these rows from what is stored, where other kept values depend on it. */
  readonly renew?: (ids: readonly SqlValue[], context: KeptContext) => Work<void>;
  /** Computes all of it from what is stored. */
  readonly rebuild: (context: KeptContext) => Work<void>;
  /**
   * Does a part of what changes have left to be done, in the background of a service, each part in a transaction of its
   * own. What is left has to be stored: a service may end at any time.
   *
   * @param most objects of a part, where its time grows with them
   * @returns whether there is more to do now
   */
  readonly later?: (context: KeptContext, most: number) => Work<boolean>;
  readonly fill?: Kept['later']; // the same of what a start has left: a table that is made anew
  readonly checks?: readonly KeptCheck[];
  readonly version?: KeptVersionOf<KeptContext>; // where a start may find that other code has made it
  readonly isUnhurried?: true; // nobody waits for what is left to be done: reads go first
  readonly leavesWork?: true; // its changes leave something to be done
}
