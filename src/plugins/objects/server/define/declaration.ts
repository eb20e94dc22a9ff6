/**
 * How a type of objects is declared. `content-types/<type>/schema.json` says what is stored;
 * `resource.ts` beside it says what the wire adds. `complete.ts` makes one total declaration of the
 * two, once, at the start; everything else reads that one.
 */
import type { PermissionTable } from '../../../accounts/server/permissions';
import type { RuleContext } from '../write/rules';
import type { Work } from '../database/work';
import type { Issue } from '../../../wire/server/errors';
import type { Body } from '../types';

/** What a value is on the wire. Every consumer has an entry for each, so a new one does not compile without. */
export const KINDS = [
  'id',
  'text',
  'uuid',
  'email',
  'url',
  'country',
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
] as const;
export type Kind = (typeof KINDS)[number];

/** Who sees a field, of those who may read the object; each includes the ones after it. */
export const AUDIENCES = ['everyone', 'owner', 'moderator', 'administrator'] as const;
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
  /** Bounds of texts in a list, of a list, and of what the schema does not bound. */
  readonly maxItems?: number;
  readonly maxLength?: number;
  /** Case that the value is folded to. */
  readonly fold?: 'lower';
  /** Of a list: each value once. */
  readonly distinct?: true;
  readonly seen?: Audience;
  readonly written?: Audience;
  /** Follows from elsewhere: cannot be written. */
  readonly derived?: true;
  /** What the field is when it is absent on create, or null. */
  readonly fill?: (after: Body, context: RuleContext) => Work<unknown>;
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
  /** The key of an object, null where it claims none. Absent: the field's value. */
  readonly key?: (object: Body) => string | null;
}

/** What must hold for an object as it would be after the change. */
export type Rule = (after: Body, context: RuleContext) => Work<readonly Issue[]>;

export interface ResourceDeclaration {
  readonly uid: `api::${string}.${string}`;
  /** The path segment, and the name of the type in messages. */
  readonly path: string;
  readonly description: string;
  /** The Darwin Core class. */
  readonly term?: string;
  readonly displayName: string;
  readonly fields: Readonly<Record<string, FieldDeclaration>>;
  readonly unique?: readonly UniqueDeclaration[];
  readonly rules?: readonly Rule[];
  readonly permissions: PermissionTable;
}

/** Declares a type of objects. Checked and completed at the start, see `complete.ts`. */
export const defineResource = (declaration: ResourceDeclaration): ResourceDeclaration =>
  declaration;
