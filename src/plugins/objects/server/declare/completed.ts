/** A completed type of objects: nothing is optional any more, and every name has been checked. */
import type { Expected, Issue } from '../../../../core/errors';
import type { Sql } from '../database/sql';
import type { Kind } from './kinds';
import type { Relation } from './relations';
import type { RightsRow } from './row';
import type { View, Views } from './views';
import type { Body } from './objects';
import type {
  ActionDeclaration,
  Consequence,
  BeforeDelete,
  Kept,
  Link,
  MergeAction,
  PlainAction,
  Rule,
  Transition,
} from './behavior';
import type {
  EdgesDeclaration,
  FieldDeclaration,
  ListDeclaration,
  TypeUid,
  UniqueDeclaration,
  UniqueRecords,
} from './declaration';
import type { SearchTable } from './search-table';

export type { Link } from './behavior';

/** The bounds of a value. */
export interface Bounds {
  readonly min: number | null;
  readonly max: number | null;
  /** Characters. */
  readonly minLength: number;
  readonly maxLength: number;
  readonly maxItems: number;
}

export interface Field extends Bounds {
  readonly name: string;
  readonly kind: Kind;
  readonly description: string;
  readonly term: string | null;
  /** The values of a choice in the vocabulary of its term, as far as that has other ones. */
  readonly vocabulary: Readonly<Record<string, string>>;
  /** Columns of the type's table: none without an attribute, three for a time. */
  readonly columns: readonly string[];
  /** The attribute's name in Strapi, null without an attribute. */
  readonly attribute: string | null;
  readonly required: boolean;
  readonly default: unknown;
  /** Whether null stays null although there is a default. */
  readonly nullable: boolean;
  /** What strangers see of a value; null where it is all of it. */
  readonly toStrangers: FieldDeclaration['toStrangers'] | null;
  readonly derived: boolean;
  readonly seen: RightsRow;
  readonly written: RightsRow;
  readonly onCreate: boolean;
  /** Part of the body of a create or of an update alone; never stored. */
  readonly input: 'create' | 'update' | null;
  readonly listed: ListDeclaration | null;
  readonly inverse: FieldDeclaration['inverse'] | null;
  readonly edges: EdgesDeclaration | null;
  /** Of a figure: the columns with the public value and the one with a wider value, and the attributes of all of them. */
  readonly figure: {
    readonly columns: readonly string[];
    readonly wider: { readonly column: string; readonly seen: RightsRow } | null;
    readonly attributes: readonly string[];
    readonly isWithheld: Sql;
  } | null;
  /** The join table of a list of references; null for other fields and without an attribute. */
  readonly link: Link | null;
  readonly choices: readonly string[];
  readonly spellings: Readonly<Record<string, string>>;
  readonly fold: FieldDeclaration['fold'] | null;
  readonly distinct: boolean;
  readonly rejects: ((text: string) => Expected | null) | null;
  /** The path of the type that a reference points to. */
  readonly to: string | null;
  readonly onDelete: 'restrict' | 'clear' | 'delete';
  /** The action on an object that it takes to refer to it. */
  readonly attach: string;
  readonly tree: boolean;
  readonly alias: boolean;
  readonly fill: FieldDeclaration['fill'] | null;
  readonly derive: FieldDeclaration['derive'] | null;
  readonly settle: FieldDeclaration['settle'] | null;
  readonly computed: FieldDeclaration['computed'] | null;
  readonly told: FieldDeclaration['told'] | null;
  readonly words: boolean;
  readonly sort: boolean;
  /** By the name of a view. */
  readonly views: ReadonlyMap<string, View>;
}

export interface Unique {
  /** The attribute that stores the key, and its column. */
  readonly attribute: string;
  readonly column: string;
  readonly fields: readonly string[];
  /** The path of a clash. */
  readonly reportedAt: string;
  readonly dependsOn: readonly string[];
  readonly discreet: boolean;
  readonly key: (object: Body) => string | number | null;
  /** Finds whom an object would clash with; null where that is whoever has its key. */
  readonly holders: UniqueDeclaration['holders'] | null;
}

/** The body of a call. */
export interface BodyShape {
  readonly fields: readonly Field[];
  /** The names that have to be there. */
  readonly required: readonly string[];
  /** The normalized body, with all that is wrong with it. */
  read(body: unknown): { readonly values: Body; readonly issues: readonly Issue[] };
  /** The normalized body. @throws ApiError MALFORMED with all issues */
  check(body: unknown): Body;
}

/** An action, with its body completed. */
export type Action = Completed<PlainAction> | Completed<MergeAction>;
type Completed<A extends ActionDeclaration> = Omit<A, 'body'> & { readonly body: BodyShape };

/** The fields by which an object is suggested, and references of which a suggestion has the display names. */
export interface Suggested {
  readonly names: readonly Field[];
  readonly beside: readonly Field[];
}

export interface Resource {
  readonly uid: TypeUid;
  readonly type: string;
  readonly description: string;
  /** The ID of the one object, where there are no others. */
  readonly single: string | null;
  readonly term: string | null;
  readonly table: string;
  readonly displayName: Field;
  readonly picture: Field | null;
  readonly summary: readonly Field[];
  /** In the order of the declaration, those that every object has included. */
  readonly fields: ReadonlyMap<string, Field>;
  /** Attributes of Strapi that are not on the wire. */
  readonly hidden: ReadonlySet<string>;
  readonly unique: readonly Unique[];
  readonly uniqueRecords: readonly UniqueRecords[];
  readonly rules: readonly Rule[];
  readonly relations: ReadonlyMap<string, Relation>;
  /** By action. */
  readonly rights: ReadonlyMap<string, RightsRow>;
  readonly actions: ReadonlyMap<string, Action>;
  /** By action; actions without an entry are always in `permissions`. */
  readonly offered: ReadonlyMap<string, RightsRow>;
  readonly views: Views | null;
  readonly transition: Transition | null;
  readonly beforeDelete: readonly BeforeDelete[];
  readonly consequences: readonly Consequence[];
  readonly kept: readonly Kept[];
  /** The field with the object that an object was merged into; null for a type whose objects cannot be merged. */
  readonly mergedInto: Field | null;
  readonly searched: SearchTable | null;
  readonly suggested: Suggested | null;
  readonly forgotten: boolean;
  readonly manyAtOnce: boolean;
  readonly made: 'upload' | 'call' | null;
}

/** All types by their path. */
export type Resources = ReadonlyMap<string, Resource>;

/** A reference field that points to a type, with the type that has it. */
export interface Referrer {
  readonly resource: Resource;
  readonly field: Field;
}
