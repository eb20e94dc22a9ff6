/** The attributes of a type that a panel user may read, and how they can be compared. */
import type { Core } from '@strapi/strapi';
import { isMalformedText } from '../../../core/text';
import { resourceOf } from '../../objects/server';
import { hiddenAttributes, secretAttributes } from './roles';
import type { Who } from './routes/who';

/** How values of an attribute type are compared, and the format of a value in a query. */
export interface AttributeComparison {
  readonly operators: ReadonlySet<string>;
  readonly holds: (value: unknown) => boolean;
}

export interface Attribute {
  /** The type that a relation points to. */
  readonly target: string | null;
  readonly isToOne: boolean;
  /** Null for an attribute that cannot be compared. */
  readonly comparison: AttributeComparison | null;
}

/** Attributes by name. */
export type Attributes = ReadonlyMap<string, Attribute>;

/** The maximum length of a value in UTF-16 units. */
const MAX_VALUE = 1000;

export const isBoundedText = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= MAX_VALUE && !isMalformedText(value);

const matches =
  (pattern: RegExp) =>
  (value: unknown): boolean =>
    typeof value === 'string' && value.length <= 40 && pattern.test(value);

const EQUALITY = ['$eq', '$ne', '$in', '$notIn'];
const ORDER = [...EQUALITY, '$lt', '$lte', '$gt', '$gte', '$between'];
const PATTERNS = ['$eqi', '$nei', '$contains', '$notContains', '$containsi', '$notContainsi'];
const ENDS = ['$startsWith', '$startsWithi', '$endsWith', '$endsWithi'];

const text: AttributeComparison = {
  operators: new Set([...ORDER, ...PATTERNS, ...ENDS]),
  holds: isBoundedText,
};
const whole: AttributeComparison = { operators: new Set(ORDER), holds: matches(/^-?\d{1,18}$/) };
const decimal: AttributeComparison = {
  operators: new Set(ORDER),
  holds: matches(/^-?\d{1,18}(\.\d{1,18})?$/),
};
const instant: AttributeComparison = {
  operators: new Set(ORDER),
  holds: matches(/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/),
};
const boolean: AttributeComparison = {
  operators: new Set(EQUALITY),
  holds: matches(/^(true|false|1|0)$/),
};

/** By type of Strapi's attributes; other types cannot be compared. */
const COMPARISONS: Readonly<Record<string, AttributeComparison>> = {
  string: text,
  text,
  richtext: text,
  email: text,
  uid: text,
  enumeration: text,
  integer: whole,
  biginteger: whole,
  float: decimal,
  decimal,
  boolean,
  datetime: instant,
};

const plain = (comparison: AttributeComparison): Attribute => ({
  target: null,
  isToOne: false,
  comparison,
});

/** The attributes of every type. */
const COMMON: readonly (readonly [string, Attribute])[] = [
  ['id', plain(whole)],
  ['documentId', plain(text)],
  ['createdAt', plain(instant)],
  ['updatedAt', plain(instant)],
];

interface Declared {
  readonly type: string;
  readonly target?: string;
  readonly relation?: string;
}

/** The attributes of a type that a user may read; null for an unknown type. */
export function readableAttributes(strapi: Core.Strapi, uid: string, who: Who): Attributes | null {
  const model = strapi.contentTypes[uid as never] as
    { readonly attributes: Readonly<Record<string, Declared>> } | undefined;
  if (!model) return null;
  const resource = resourceOf(strapi, uid);
  // Accounts may read nothing of Strapi's own types.
  if (!resource && who !== 'operator')
    return isOfTheApp(uid) ? attributesOf(model, new Set()) : null;
  return attributesOf(model, unreadableAttributes(strapi, uid, who));
}

/** The attributes of our types that a user may not read. */
export function unreadableAttributes(
  strapi: Core.Strapi,
  uid: string,
  who: Who,
): ReadonlySet<string> {
  const resource = resourceOf(strapi, uid);
  if (!resource) return new Set();
  return who === 'moderator' ? hiddenAttributes(resource) : secretAttributes(resource);
}

const isOfTheApp = (uid: string): boolean => uid.startsWith('api::');

function attributesOf(
  { attributes }: { readonly attributes: Readonly<Record<string, Declared>> },
  without: ReadonlySet<string>,
): Attributes {
  const readable = Object.entries(attributes).flatMap(
    ([name, { type, target, relation = '' }]): [string, Attribute][] => {
      if (without.has(name)) return [];
      const isToOne = relation.endsWith('ToOne');
      return [[name, { target: target ?? null, isToOne, comparison: COMPARISONS[type] ?? null }]];
    },
  );
  return new Map([...COMMON, ...readable]);
}
