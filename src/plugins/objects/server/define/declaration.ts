/**
 * How a type of objects is declared. `content-types/<type>/schema.json` says what is stored;
 * `resource.ts` beside it says what the wire adds. `complete.ts` makes one total declaration of the
 * two, once, at the start; everything else reads that one.
 */
import type { Caller } from '../../../accounts/server/caller';
import type { PermissionTable } from '../../../accounts/server/permissions';
import type { SqlValue, Work } from '../database/work';
import type { Model } from '../model';
import type { WriteContext } from '../write/context';
import type { RuleContext } from '../write/rules';
import type { Issue } from '../../../wire/server/errors';
import type { Body, Change } from '../types';

/** What a value is on the wire. Every consumer has an entry for each, so a new one does not compile without. */
export const KINDS = [
  'id',
  'text',
  'uuid',
  'email',
  'url',
  'country',
  'language',
  'choice',
  'number',
  'integer',
  'boolean',
  'time',
  'instant',
  'localized',
  'texts',
  'measurements',
  'customFields',
  'region',
  'reference',
  'references',
  'path',
  'secret',
] as const;
export type Kind = (typeof KINDS)[number];

/**
 * Who sees a field, of those who may read the object. `owner` and `moderator` include moderators and
 * administrators, `self` is the owner and administrators, `nobody` the writer alone.
 */
export const AUDIENCES = [
  'everyone',
  'owner',
  'moderator',
  'self',
  'administrator',
  'nobody',
] as const;
export type Audience = (typeof AUDIENCES)[number];

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
  readonly maxLength?: number;
  /** Case that the value is folded to. */
  readonly fold?: 'lower';
  /** Of a list: each value once. */
  readonly distinct?: true;
  readonly seen?: Audience;
  /** Whoever else sends it must send what it is already. */
  readonly written?: Audience;
  /** Part of the body of a change alone: it is never stored, and no part of a new object. */
  readonly input?: 'update';
  /** A derived list of the objects whose field refers to this one, the newest first. */
  readonly inverse?: { readonly type: string; readonly field: string };
  /** Follows from elsewhere: cannot be written. */
  readonly derived?: true;
  /** What the field is when it is absent on create, or null. */
  readonly fill?: (after: Body, context: RuleContext) => Work<unknown>;
  /** What it is after each change, whatever the body says. */
  readonly derive?: (after: Body, context: RuleContext) => unknown;
  /** What a deletion of the object that this refers to does: refuse it, or empty the field. */
  readonly onDelete?: 'restrict' | 'clear';
  /** The reference makes a tree: it may not lead back to where it started. */
  readonly tree?: true;
}

/** A combination of values that one object only may have. */
export interface UniqueDeclaration {
  /** The attribute with the key, or the field itself where it is its own. */
  readonly attribute: string;
  /** The fields that make the key; a clash is told at the last of them. */
  readonly fields: readonly string[];
  /** References that the key may fall back on: when what they point to goes, the key is made anew. */
  readonly dependsOn?: readonly string[];
  /** A clash does not tell which object has the key. */
  readonly discreet?: true;
  /** The key of an object, null where it claims none. Absent: the field's value. */
  readonly key?: (object: Body) => string | null;
}

/** What must hold for an object as it would be after the change. */
export type Rule = (after: Body, context: RuleContext) => Work<readonly Issue[]>;

/** What is found out for a change before its transaction begins, where that cannot be done within. */
export interface Beforehand {
  /** What is stored in place of what the body holds, by field: secrets are only ever stored so. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** The hash of the password by which the caller has proven again who it is; null when it has not tried. */
  readonly proven?: string | null;
  /** What else this caller may not write. */
  readonly forbidden?: readonly Issue[];
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

export interface ResourceDeclaration {
  readonly uid: TypeUid;
  /** The path segment, and the name of the type in messages. */
  readonly path: string;
  readonly description: string;
  /** The Darwin Core class. */
  readonly term?: string;
  readonly displayName: string;
  /** The field that tells who owns an object; `owner` where there is one. */
  readonly ownedBy?: string;
  /** The value of a field without which an object is its owner's and the moderators' alone. */
  readonly approved?: { readonly field: string; readonly value: string };
  /** Attributes of Strapi's that are none of the wire's. */
  readonly hidden?: readonly string[];
  readonly fields: Readonly<Record<string, FieldDeclaration>>;
  readonly unique?: readonly UniqueDeclaration[];
  readonly rules?: readonly Rule[];
  readonly permissions: PermissionTable;
  /** Work that must not hold a transaction open, such as hashing a password. */
  readonly beforehand?: (change: Change, caller: Caller, model: Model) => Promise<Beforehand>;
  /** What else a change does, in its transaction. @throws WireError which undoes it */
  readonly follow?: (made: ChangeMade, context: WriteContext) => Work<void>;
  /** The history of an object goes with it: it was a person's. */
  readonly forgotten?: true;
}

/** Strapi's name of a content type. */
export type TypeUid = `api::${string}.${string}` | `plugin::${string}.${string}`;

/** Declares a type of objects. Checked and completed at the start, see `complete.ts`. */
export const defineResource = (declaration: ResourceDeclaration): ResourceDeclaration =>
  declaration;
