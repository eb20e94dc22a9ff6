/** A type of objects, completed: nothing is optional any more, and every name has been checked. */
import type { PermissionTable } from '../../../accounts/server/permissions';
import type { RuleContext } from '../write/rules';
import type { Work } from '../database/work';
import type { Body } from '../types';
import type { Audience, Kind, ResourceDeclaration, Rule, TypeUid } from './declaration';

/** The table of a relation to several objects. */
export interface Link {
  readonly table: string;
  /** Columns: the object's row, the row that it refers to, the place in the list. */
  readonly source: string;
  readonly target: string;
  readonly order: string;
}

export interface Field {
  readonly name: string;
  readonly kind: Kind;
  readonly description: string;
  readonly term: string | null;
  /** Columns of the type's table: none while the attribute is missing, three for a time. */
  readonly columns: readonly string[];
  /** The attribute's name in Strapi, null while it is missing. */
  readonly attribute: string | null;
  readonly required: boolean;
  readonly default: unknown;
  /** What it reads as when nothing is stored. */
  readonly empty: unknown;
  readonly derived: boolean;
  readonly seen: Audience;
  readonly written: Audience;
  /** Never stored; `update` of what is no part of a new object either. */
  readonly input: boolean | 'update';
  readonly inverse: { readonly type: string; readonly field: string } | null;
  /** Of a list of references, null while the attribute is missing. */
  readonly link: Link | null;
  readonly choices: readonly string[];
  readonly spellings: Readonly<Record<string, string>>;
  readonly min: number | null;
  readonly max: number | null;
  readonly minLength: number;
  readonly maxLength: number;
  readonly maxItems: number;
  readonly fold: 'lower' | null;
  readonly distinct: boolean;
  /** The path of the type that a reference points to. */
  readonly to: string | null;
  readonly onDelete: 'restrict' | 'clear';
  readonly tree: boolean;
  readonly fill: ((after: Body, context: RuleContext) => Work<unknown>) | null;
  readonly derive: ((after: Body, context: RuleContext) => unknown) | null;
}

export interface Unique {
  readonly column: string;
  readonly fields: readonly string[];
  readonly dependsOn: readonly string[];
  readonly discreet: boolean;
  readonly key: (object: Body) => string | number | null;
}

export interface Resource {
  readonly uid: TypeUid;
  readonly type: string;
  readonly description: string;
  readonly term: string | null;
  readonly table: string;
  readonly displayName: Field;
  /** In the order of the declaration, those that every object has included. */
  readonly fields: ReadonlyMap<string, Field>;
  /** Attributes of Strapi's that are none of the wire's. */
  readonly hidden: ReadonlySet<string>;
  readonly unique: readonly Unique[];
  readonly rules: readonly Rule[];
  readonly permissions: PermissionTable;
  /** The field that tells who owns an object, null where nobody does. */
  readonly ownedBy: Field | null;
  /** The column, and the value in it, that makes an object more than its owner's; null where all are. */
  readonly approved: { readonly column: string; readonly value: string } | null;
  readonly beforehand: ResourceDeclaration['beforehand'] | null;
  readonly follow: ResourceDeclaration['follow'] | null;
  readonly forgotten: boolean;
}

/** All types by their path. */
export type Resources = ReadonlyMap<string, Resource>;

/** A reference field that points to a type, with the type that has it. */
export interface Referrer {
  readonly resource: Resource;
  readonly field: Field;
}
