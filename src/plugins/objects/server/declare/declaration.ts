/**
 * The declaration of a type. `content-types/<type>/schema.json` defines what is stored, `resource.ts` beside it what
 * the wire adds. At the start `complete.ts` combines the two into one complete definition, which all other code uses.
 */
import type { Expected } from '../../../../core/errors';
import type { SearchTableDeclaration } from './search-table';
import type { Sql } from '../database/sql';
import type { Work } from '../database/work';
import type { Kind } from './kinds';
import type { Relation } from './relations';
import type { RowDeclaration } from './row';
import type { Links, ViewDeclaration, ViewsDeclaration } from './views';
import type { PrivacySettings } from '../site/settings';
import type { Body } from './objects';
import type {
  ActionDeclaration,
  Consequence,
  BeforeDelete,
  Holder,
  Kept,
  Rule,
  RuleContext,
  StoredNames,
  Transition,
} from './behavior';

/** What the wire adds to an attribute. Everything but the description is optional. */
export interface FieldDeclaration {
  /** One or two sentences for the OpenAPI document. */
  readonly description: string;
  /** The attribute's name in Strapi, where it differs from the field's: `status` is reserved by the panel. */
  readonly attribute?: string;
  /** Required where the attribute's type does not determine it (`string`, `json`) and where there is no attribute. */
  readonly kind?: Kind;
  /** The Darwin Core term (https://dwc.tdwg.org/terms/). */
  readonly term?: string;
  /** The values of a choice in the vocabulary of its term, where that has other ones. */
  readonly vocabulary?: Readonly<Record<string, string>>;
  /** The path of the type that a reference points to, as long as that type does not exist. */
  readonly to?: string;
  /** The values of a choice that has no attribute. */
  readonly choices?: readonly string[];
  /** Other spellings of a choice that are accepted in input and never returned. */
  readonly spellings?: Readonly<Record<string, string>>;
  /** Bounds of the texts in a list, of a list, and of fields that the schema does not bound. */
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** To what the value is converted: to lower case, or to single blanks between its words. */
  readonly fold?: 'lower' | 'blanks';
  /** Whether the values of a list have to be distinct. */
  readonly distinct?: true;
  /** A check beyond the kind's: gives the token of what was expected, null for a valid text. */
  readonly rejects?: (text: string) => Expected | null;
  /** Which readers of the object see the field; by default all. */
  readonly seen?: RowDeclaration;
  /** Which writers of the object may write the field. Others who see it may send its present value. */
  readonly written?: RowDeclaration;
  /** Every caller who may create an object may give it on create. */
  readonly onCreate?: true;
  /** Part of the body of a create or of an update alone: it is never stored. */
  readonly input?: 'create' | 'update';
  /** It has to be in the body of a create: said where there is no attribute that says so. */
  readonly required?: true;
  /** A derived list of the objects whose field refers to this one, the newest first. */
  readonly inverse?: {
    readonly type: string;
    readonly field: string;
    /** Whether a new object may name them: they come to refer to it. */
    readonly input?: 'create';
  };
  /** A derived list of objects that other tables tell. */
  readonly listed?: ListDeclaration;
  /** The list is of edges between objects of the type, which both ends show. */
  readonly edges?: EdgesDeclaration;
  /** A figure that exists twice: in the attribute of the field, for moderators and administrators, and for all others. */
  readonly figure?: {
    /** The attribute with the public value, by which everybody below moderators also filters and sorts. */
    readonly public: string;
    /** The attribute with a value that is read by callers who have one of these relations, and found by nobody. */
    readonly wider?: { readonly attribute: string; readonly seen: readonly string[] };
    /** The condition that only moderators and administrators are told it now: something in it waits to be hidden. */
    readonly isWithheld: Sql;
  };
  /**
   * Of a list of references: the condition that whoever is not among those who see the object exactly is told an object of
   * it, in every view. What is untold counts as absent.
   *
   * @param item the alias of the row of that object
   * @param view the name of the strangers' view of the object with the list
   * @param isKept whether what is kept of objects is known to be up to date (`isWaiting`)
   */
  readonly told?: (item: string, view: Sql, privacy: PrivacySettings, isKept: boolean) => Sql;
  /** Made of the object's row whenever it is read, and stored nowhere. @param alias of the row */
  readonly computed?: (alias: string, privacy: PrivacySettings) => Sql;
  /** Follows from elsewhere: cannot be written. */
  readonly derived?: true;
  /** The service itself gives it with a change (`set`). */
  readonly given?: true;
  /** Null stays null, and its default is the value of a field that is absent on create alone. */
  readonly nullable?: true;
  /**
   * What of a value those see who read the object, but are strangers to it (`views.exact`): also where they see its
   * other fields as they are stored. Null stays null.
   */
  readonly toStrangers?: (value: unknown) => unknown;
  /** The value of the field if it is absent on create, or null. */
  readonly fill?: (after: Body, context: RuleContext) => unknown;
  /** Computes its value after each change, whatever the body contains. */
  readonly derive?: (after: Body, context: RuleContext) => unknown;
  /** Computes its value from what the rules of the type have looked up, after the whole change is checked. */
  readonly settle?: (after: Body, context: RuleContext) => unknown;
  /** The effect on a deletion of the referenced object: refuse it, set the field to null, or delete this object too. */
  readonly onDelete?: 'restrict' | 'clear' | 'delete';
  /**
   * The action that one has to have a right to, on an object, to refer to it from here. Of what is referred to already
   * it is not asked again.
   */
  readonly attach?: string;
  /** The reference makes a tree: it may not lead back to where it started. */
  readonly tree?: true;
  /**
   * The object is another name of the one that the field refers to: whatever is searched for by that one finds this one,
   * too, and what is below it.
   */
  readonly alias?: true;
  /** Searches find the object by the words of the field; of a reference, by those of the object that it refers to. */
  readonly words?: true;
  /** Searches may be sorted by it. */
  readonly sort?: true;
  /** The field in each view of the type except the exact one. */
  readonly views?: Readonly<Record<string, ViewDeclaration>>;
  /**
   * What two objects with the same value have in common. Needed where the field is not hidden in a view; one that links
   * animals, places or moments is shown in none.
   */
  readonly links?: Links;
}

/** A list of references that is stored in another table than that of its relation. */
export interface ListDeclaration {
  /**
   * A `select` of the rows that are listed, as `id`, with the values by which they are ordered, as `place`.
   *
   * @param row the column with the row ID of the object
   */
  readonly rows: (row: Sql, names: StoredNames) => Sql;
  /**
   * The list belongs to the object: a change of it is a change of the object, and the history records who was removed
   * (`before`) and who was added (`after`). Any other list follows from changes of other objects, and changes no
   * version.
   */
  readonly isOwn?: true;
  /**
   * Others bring its changes about, and few see it: a change of it alone moves neither `version` nor `updated_at`, so that
   * it neither shows nor hinders whoever changes the object. The history has it under the version as it is.
   */
  readonly isQuiet?: true;
  /** It names objects that the caller sees exactly, instead of all that it may read. */
  readonly isExact?: true;
}

/** Relationships between two objects of one type, each one row of a table: `source`, `target` and `type`. */
export interface EdgesDeclaration {
  readonly table: string;
  /** The types that are kept with the source, where the target is that to it; and what the source is to the target. */
  readonly inverses: Readonly<Record<string, string>>;
  /** The types that are the same for both ends. */
  readonly alike: readonly string[];
  /** The type as which an edge is kept that is added from its target. */
  readonly inverted: (object: Body) => string | null;
}

/** A combination of values that only one object may have. */
export interface UniqueDeclaration {
  /** The attribute that stores the key, or the field itself. */
  readonly attribute: string;
  /** The fields of which the key consists. */
  readonly fields: readonly string[];
  /** The input at which a clash is reported; by default the last of the fields. */
  readonly reportedAt?: string;
  /** References that the key may depend on: when their target is deleted, the key is computed again. */
  readonly dependsOn?: readonly string[];
  /**
   * Whether a clash must not reveal the object that has the key; it is then reported only where there is no other
   * issue.
   */
  readonly discreet?: true;
  /** The key of an object, null without a key; by default the field's value. */
  readonly key?: (object: Body) => string | null;
  /**
   * Finds the objects with which one would clash after a change, where several may have its key. The unique index then
   * has a further column, `within`. It only reads, and holds a lock until the transaction ends.
   */
  readonly holders?: (after: Body, context: RuleContext) => Work<readonly Holder[]>;
  /** The attribute that tells objects with one key apart. */
  readonly within?: string;
}

/** The key of one record of a list. */
export interface RecordKey {
  readonly key: string;
  /** The text by which the record can be found, folded. */
  readonly value: string;
  /** Where a clash is reported. */
  readonly path: string;
}

/** Records of a list that only one object may have. */
export interface UniqueRecords {
  /** The table of the keys: `key`, which is unique, `object`, the ID of the row, and `value`. */
  readonly table: string;
  /** The fields of which the keys consist. */
  readonly fields: readonly string[];
  /** The keys of an object; no two of its own are equal, which a rule of the type refuses. */
  readonly keys: (object: Body) => readonly RecordKey[];
}

export interface ResourceDeclaration {
  readonly uid: TypeUid;
  /** The path segment, and the name of the type in messages. */
  readonly path: string;
  readonly description: string;
  /** The ID of the one object of a type that has no others: no call names it. */
  readonly single?: string;
  /** The Darwin Core class. */
  readonly term?: string;
  readonly displayName: string;
  /** The field that has the object's picture: the path of an asset, or renditions of its own. */
  readonly picture?: string;
  /**
   * The further fields of its summary beside others (`include`): what a card needs. Of what has renditions of its own, those
   * that go with its picture wherever it is shown.
   */
  readonly summary?: readonly string[];
  /** The names by which an object is suggested, and references whose display names are `beside` them: every reader sees them. */
  readonly suggested?: { readonly names: readonly string[]; readonly beside?: readonly string[] };
  /** The field with the object that this one was merged into: nothing else is left of it then, but who owned it. */
  readonly mergedInto?: string;
  /** The relations that a caller can have to an object, by their names. */
  readonly relations?: Readonly<Record<string, Relation>>;
  /** The table of rights: a row for each action, or `as <action>`. */
  readonly rights: Readonly<Record<string, RowDeclaration | `as ${string}`>>;
  /** The calls of the type beside those that every type has, by their names. */
  readonly actions?: Readonly<Record<string, ActionDeclaration>>;
  /**
   * By action: the objects whose `permissions` list it, among those to which the right extends. An action that the
   * object's state refuses is not listed.
   */
  readonly offered?: Readonly<Record<string, RowDeclaration>>;
  /** The views of an object, where not every reader sees it as it is stored. */
  readonly views?: ViewsDeclaration;
  /** Where searches find the objects, if that is not the type's own table. */
  readonly searched?: SearchTableDeclaration;
  /** Who sees what every object has, where that is not everybody who may read it. */
  readonly seen?: Readonly<
    Partial<Record<'version' | 'created_at' | 'updated_at', RowDeclaration>>
  >;
  /** Attributes of Strapi that are not on the wire. */
  readonly hidden?: readonly string[];
  readonly fields: Readonly<Record<string, FieldDeclaration>>;
  readonly unique?: readonly UniqueDeclaration[];
  readonly uniqueRecords?: readonly UniqueRecords[];
  readonly rules?: readonly Rule[];
  readonly transition?: Transition;
  /** Carried out in this order. */
  readonly beforeDelete?: readonly BeforeDelete[];
  /** Carried out in this order. */
  readonly consequences?: readonly Consequence[];
  /** What is kept with the objects of this type, or beside them. */
  readonly kept?: readonly Kept[];
  /** How an object is created where a JSON body is not enough: from a file, or by a call without a form in the panel. */
  readonly made?: 'upload' | 'call';
  /**
   * Whether changes that arrive together share a transaction: none of them may depend on what another one changes, but
   * by a unique key. Its objects do not refer to each other, and its rules look at objects of other types.
   */
  readonly manyAtOnce?: true;
  /** Whether the history of an object is deleted with it, because it is about a person. */
  readonly forgotten?: true;
}

/** The UID of a content type of Strapi. */
export type TypeUid = `api::${string}.${string}` | `plugin::${string}.${string}`;

/** Declares a type of objects. Checked and completed at the start, see `complete.ts`. */
export const defineResource = (declaration: ResourceDeclaration): ResourceDeclaration =>
  declaration;
