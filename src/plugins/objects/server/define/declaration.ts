/**
 * The declaration of a type. `content-types/<type>/schema.json` defines what is stored, `resource.ts` beside it what
 * the wire adds. At the start `complete.ts` combines the two into one complete definition, which all other code uses.
 */
import type { Caller } from '../../../../core/caller';
import type { Expected, Issue } from '../../../../core/errors';
import type { Dialect } from '../database/database';
import type { Sql, SqlValue } from '../database/sql';
import type { Work } from '../database/work';
import type { Kind } from '../kinds/names';
import type { Relation } from '../rights/relations';
import type { RowDeclaration } from '../rights/row';
import type { ViewDeclaration, ViewsDeclaration } from '../rights/views';
import type { SiteSettings } from '../site';
import type { Body, Change } from '../types';
import type { Awaited } from './awaited';

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
  /** The case to which the value is converted. */
  readonly fold?: 'lower';
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
  /** A derived list of the objects whose field refers to this one, the newest first. */
  readonly inverse?: { readonly type: string; readonly field: string };
  /** Made of the object's ID whenever it is read, and stored nowhere. @param id the ID's column */
  readonly computed?: (id: Sql) => Sql;
  /** Follows from elsewhere: cannot be written. */
  readonly derived?: true;
  /** The service itself gives it with a change (`set`). */
  readonly given?: true;
  /** What is going to derive it, and is not built yet. */
  readonly awaits?: Awaited;
  /** The value of the field if it is absent on create, or null. */
  readonly fill?: (after: Body, context: RuleContext) => unknown;
  /** Computes its value after each change, whatever the body contains. */
  readonly derive?: (after: Body, context: RuleContext) => unknown;
  /** The effect on a deletion of the referenced object: refuse it, or set the field to null. */
  readonly onDelete?: 'restrict' | 'clear';
  /**
   * The action that one has to have a right to, on an object, to refer to it from here. Of what is referred to already
   * it is not asked again.
   */
  readonly attach?: string;
  /** The reference makes a tree: it may not lead back to where it started. */
  readonly tree?: true;
  /** The field in each view of the type except the exact one. */
  readonly views?: Readonly<Record<string, ViewDeclaration>>;
}

/** A combination of values that only one object may have. */
export interface UniqueDeclaration {
  /** The attribute that stores the key, or the field itself. */
  readonly attribute: string;
  /** The fields of which the key consists; a clash is reported at the last of them. */
  readonly fields: readonly string[];
  /** References that the key may depend on: when their target is deleted, the key is computed again. */
  readonly dependsOn?: readonly string[];
  /**
   * Whether a clash must not reveal the object that has the key; it is then reported only where there is no other
   * issue.
   */
  readonly discreet?: true;
  /** The key of an object, null without a key; by default the field's value. */
  readonly key?: (object: Body) => string | null;
}

/** The context of rules and of functions that compute a field. */
export interface RuleContext {
  readonly caller: Caller;
  readonly site: SiteSettings;
  /** The stored object, null on create. */
  readonly before: Body | null;
  /** The findings of the type's preparation. */
  readonly findings: Readonly<Record<string, unknown>>;
}

/** A rule for the state of an object after the change. */
export interface Rule {
  /** The fields that it depends on: it is not checked while one of them is malformed. */
  readonly fields: readonly string[];
  readonly check: (after: Body, context: RuleContext) => Work<readonly Issue[]>;
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
export interface ConsequenceContext {
  readonly dialect: Dialect;
  readonly caller: Caller;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A further effect of a change, in its transaction. @throws ApiError which rolls the change back */
export type Consequence = (made: ChangeMade, context: ConsequenceContext) => Work<void>;

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
  /** The relations that a caller can have to an object, by their names. */
  readonly relations?: Readonly<Record<string, Relation>>;
  /** The table of rights: a row for each action, or `as <action>`. */
  readonly rights: Readonly<Record<string, RowDeclaration | `as ${string}`>>;
  /** The views of an object, where not every reader sees it as it is stored. */
  readonly views?: ViewsDeclaration;
  /** Who sees what every object has, where that is not everybody who may read it. */
  readonly seen?: Readonly<
    Partial<Record<'version' | 'created_at' | 'updated_at', RowDeclaration>>
  >;
  /** Attributes of Strapi's that are none of the wire's. */
  readonly hidden?: readonly string[];
  readonly fields: Readonly<Record<string, FieldDeclaration>>;
  readonly unique?: readonly UniqueDeclaration[];
  readonly rules?: readonly Rule[];
  /** Carried out in this order. */
  readonly consequences?: readonly Consequence[];
  /** A body is not enough to make an object: it takes the bytes of a file. */
  readonly made?: 'upload';
  /** The history of an object goes with it: it was a person's. */
  readonly forgotten?: true;
}

/** The UID of a content type of Strapi. */
export type TypeUid = `api::${string}.${string}` | `plugin::${string}.${string}`;

/** Declares a type of objects. Checked and completed at the start, see `complete.ts`. */
export const defineResource = (declaration: ResourceDeclaration): ResourceDeclaration =>
  declaration;
