/** All errors of a declaration, with their texts. */
export const DECLARATION_ERRORS = {
  TYPE_TAKEN: 'another resource has this path',
  CONTENT_TYPE_MISSING: 'Strapi knows no such content type',
  NAME_INVALID: 'names on the wire are snake_case',
  NAME_RESERVED: 'every object has this field already',
  ATTRIBUTE_MISSING: 'schema.json has no such attribute, and the field is not derived',
  ATTRIBUTE_NOT_DECLARED: 'schema.json has this attribute, and resource.ts does not say what it is',
  KIND_MISSING: "the attribute's type does not tell what the value is: give its kind",
  KIND_MISMATCH: "the attribute's type cannot hold this kind",
  ATTRIBUTE_RESERVED: 'the panel keeps this name for itself: give the attribute another',
  COLUMN_TOO_SHORT: 'a string column holds 255 characters: use text',
  CHOICES_MISSING: 'a choice needs its values',
  TARGET_MISSING: 'a reference needs a type that it points to, which exists',
  JOIN_TABLE: 'a reference to one object is a column: useJoinTable must be false',
  LINK_MISSING:
    'a list of references is a manyToMany relation of its own, with a table and an order',
  TIME_COLUMNS_MISSING:
    'a time needs biginteger attributes of its name with Start and End behind it',
  REQUIRED_DERIVED: 'a derived field cannot be required',
  VERSION_MISSING: 'schema.json needs an integer attribute "version"',
  INDEX_MISSING: 'schema.json needs a unique index on this column',
  UNIQUE_FIELD_UNKNOWN: 'a unique rule names a field that is not declared',
  FIELD_UNKNOWN: 'the declaration names a field that is not declared',
  DISPLAY_NAME_UNKNOWN: 'displayName is not a field',
  RIGHT_MISSING: 'rights need a row for this action',
  ACTION_MISSING: 'there is a row of rights for an action that the type does not declare',
  ACTION_NAME_INVALID:
    'an action has a name of at most 20 small letters that no call of every type has',
  DELETED_WITH_REFERRED:
    'this refers to objects that are deleted together with others: nothing can refer to them',
  CREATE_NEEDS_ALL:
    'nobody has a relation to an object that is not made yet: create takes `all` alone',
  RIGHT_ALIAS_UNKNOWN: 'the row is to be as that of an action which has none of its own',
  RELATION_UNKNOWN: 'a row names a relation that the type does not declare',
  RELATION_MISMATCH: 'a relation asks for a field that cannot tell it',
  RELATION_CYCLE: 'a relation leads back to itself through those of other types',
  RIGHT_UNKNOWN: 'a relation asks for a right that the type at the other end does not declare',
  SWITCH_UNKNOWN: 'a row names a switch that the site does not have',
  VIEW_MISSING: 'the type has views: say what the field is in each of them',
  VIEW_UNKNOWN: 'the field names a view that the type does not have',
  LINKS_MISSING:
    'the field is told in a view: say whether its value links animals, persons or a class',
  LINKS_SHOWN: 'a value that links the same animal, place or moment cannot be shown in a view',
  VIEW_OF_REFERENCE:
    'what is kept of a view cannot be made of references: they change with other objects',
  WORDS_UNMARKED:
    'whoever sees objects exactly in a type that has a table for searches is a user of a field, a collaborator, a member of listed orgs, or holds a claim',
  SUGGESTED_HIDDEN:
    'what is suggested is found by words, and what is beside it is a reference: of both every reader sees all',
  INVERSE_UNKNOWN: 'the list is of a type, or by a reference to one object, that is not there',
  DERIVED_FROM_NOTHING:
    'nothing derives this field: give it fill, derive, inverse, listed, given or a value in a view',
} as const;

/** The errors of tables that are made for reading. */
export const TABLE_ERRORS = {
  SEARCHED_WITHOUT_COLUMN: 'what has no column cannot be in the table of searches',
  INDEX_NOT_SEARCHED: 'an index is named for what the table of searches does not have',
  COLUMN_MISSING: 'the table has no such column: it takes a migration (database/migrations)',
} as const;

export type DeclarationErrorCode = keyof typeof DECLARATION_ERRORS | keyof typeof TABLE_ERRORS;

const TEXTS: Readonly<Record<DeclarationErrorCode, string>> = {
  ...DECLARATION_ERRORS,
  ...TABLE_ERRORS,
};

/** A wrong declaration: stops the start. */
export class DeclarationError extends Error {
  constructor(
    readonly code: DeclarationErrorCode,
    /** The type, and the field behind a dot. */
    readonly where: string,
  ) {
    super(`${code}: ${where}: ${TEXTS[code]}`);
    this.name = 'DeclarationError';
  }
}
