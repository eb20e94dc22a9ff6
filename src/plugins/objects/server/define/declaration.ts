/**
 * How a type of objects is declared. `content-types/<type>/schema.json` says what is stored;
 * `resource.ts` beside it says what the wire adds. `complete.ts` makes one total declaration of the
 * two, once, at the start; everything else reads that one.
 */
import type { Caller } from '../../../../core/caller';
import type { Expected, Issue } from '../../../../core/errors';
import type { Dialect } from '../database/database';
import type { SqlValue } from '../database/sql';
import type { Work } from '../database/work';
import type { Kind } from '../kinds/names';
import type { Relation } from '../rights/relations';
import type { RowDeclaration } from '../rights/row';
import type { ViewDeclaration, ViewsDeclaration } from '../rights/views';
import type { SiteSettings } from '../site';
import type { Body, Change } from '../types';
import type { Awaited } from './awaited';

/** What the wire adds to an attribute. All of it is optional but the description. */
export interface FieldDeclaration {
  /** One or two sentences for whoever reads the OpenAPI document. */
  readonly description: string;
  /** The attribute's name in Strapi, where it cannot be the field's own: the panel keeps `status` for itself. */
  readonly attribute?: string;
  /** Needed where the attribute's type does not tell (`string`, `json`) and where there is no attribute. */
  readonly kind?: Kind;
  /** The Darwin Core term (https://dwc.tdwg.org/terms/). */
  readonly term?: string;
  /** The path of the type that a reference points to, while that type does not exist. */
  readonly to?: string;
  /** The values of a choice that has no attribute. */
  readonly choices?: readonly string[];
  /** Other spellings of a choice that are taken, and never given. */
  readonly spellings?: Readonly<Record<string, string>>;
  /** Bounds of texts in a list, of a list, and of what the schema does not bound. */
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Case that the value is folded to. */
  readonly fold?: 'lower';
  /** Of a list: each value once. */
  readonly distinct?: true;
  /** What a text has to be beyond its kind: the token of what it is not, null when it is right. */
  readonly rejects?: (text: string) => Expected | null;
  /** Who sees it, of those who may read the object. Everybody by default. */
  readonly seen?: RowDeclaration;
  /** Who writes it, of those who may update the object; whoever else sees it may send what it is already. */
  readonly written?: RowDeclaration;
  /** Whoever makes an object may give it. */
  readonly onCreate?: true;
  /** Part of the body of a change alone: it is never stored, and no part of a new object. */
  readonly input?: 'update';
  /** A derived list of the objects whose field refers to this one, the newest first. */
  readonly inverse?: { readonly type: string; readonly field: string };
  /** Follows from elsewhere: cannot be written. */
  readonly derived?: true;
  /** What is going to derive it, and is not built yet. */
  readonly awaits?: Awaited;
  /** What the field is when it is absent on create, or null. */
  readonly fill?: (after: Body, context: RuleContext) => unknown;
  /** What it is after each change, whatever the body says. */
  readonly derive?: (after: Body, context: RuleContext) => unknown;
  /** What a deletion of the object that this refers to does: refuse it, or empty the field. */
  readonly onDelete?: 'restrict' | 'clear';
  /** The reference makes a tree: it may not lead back to where it started. */
  readonly tree?: true;
  /** What it is in each view of the type, but in the exact one. */
  readonly views?: Readonly<Record<string, ViewDeclaration>>;
}

/** A combination of values that one object only may have. */
export interface UniqueDeclaration {
  /** The attribute with the key, or the field itself where it is its own. */
  readonly attribute: string;
  /** The fields that make the key; a clash is told at the last of them. */
  readonly fields: readonly string[];
  /** References that the key may fall back on: when what they point to goes, the key is made anew. */
  readonly dependsOn?: readonly string[];
  /** A clash does not tell which object has the key, and is told only where nothing else is wrong. */
  readonly discreet?: true;
  /** The key of an object, null where it claims none. Absent: the field's value. */
  readonly key?: (object: Body) => string | null;
}

/** What a rule, and what fills a field, is told. */
export interface RuleContext {
  readonly caller: Caller;
  readonly site: SiteSettings;
  /** The object as it is stored, null for one that is being made. */
  readonly before: Body | null;
  /** What the type's preparation has found out about the change. */
  readonly findings: Readonly<Record<string, unknown>>;
}

/** What must hold for an object as it would be after the change. */
export interface Rule {
  /** The fields that it looks at: it is not asked while one of them is malformed. */
  readonly fields: readonly string[];
  readonly check: (after: Body, context: RuleContext) => Work<readonly Issue[]>;
}

/** A change that has been carried out, its transaction being still open. */
export interface ChangeMade {
  readonly op: Change['op'];
  readonly id: string;
  readonly rowId: SqlValue;
  /** The object as it was and as it is: whole, with what nobody sees. */
  readonly before: Body | null;
  readonly after: Body | null;
}

/** What a consequence is told beside the change. */
export interface ConsequenceContext {
  readonly dialect: Dialect;
  readonly caller: Caller;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What else a change does, in its transaction. @throws ApiError which undoes it */
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
  /** The relations that a caller can have to an object, by their names. */
  readonly relations?: Readonly<Record<string, Relation>>;
  /** Who may do what: a row for each action, or `as <action>`. */
  readonly rights: Readonly<Record<string, RowDeclaration | `as ${string}`>>;
  /** The views of an object, where not everybody who may read it sees it as it is stored. */
  readonly views?: ViewsDeclaration;
  /** Attributes of Strapi's that are none of the wire's. */
  readonly hidden?: readonly string[];
  readonly fields: Readonly<Record<string, FieldDeclaration>>;
  readonly unique?: readonly UniqueDeclaration[];
  readonly rules?: readonly Rule[];
  /** Carried out in this order. */
  readonly consequences?: readonly Consequence[];
  /** The history of an object goes with it: it was a person's. */
  readonly forgotten?: true;
}

/** Strapi's name of a content type. */
export type TypeUid = `api::${string}.${string}` | `plugin::${string}.${string}`;

/** Declares a type of objects. Checked and completed at the start, see `complete.ts`. */
export const defineResource = (declaration: ResourceDeclaration): ResourceDeclaration =>
  declaration;
