/** The definition of a kind of value: stored form, normalization, check, JSON Schema, and its form in a parameter. */
import type { Schema } from 'yup';
import type { ColumnType, Dialect, JsonType } from '../database/database';
import type { SqlValue } from '../database/sql';
import type { Field } from '../declare/completed';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The context of a check. */
export interface CheckContext {
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface Parameter {
  /** A text that cannot be parsed stays a text, so that the check refuses it. */
  read(text: string): unknown;
  /** The type of the column that it is compared with. */
  readonly type: ColumnType;
}

export interface KindDefinition {
  /** The types of Strapi's attributes that can store it. */
  readonly attributes: readonly string[];
  /** The types of attributes whose default kind this is. */
  readonly natural: readonly string[];
  /** The value that is read where none is stored; if it is not null, a value of this kind is never null. */
  readonly empty: unknown;
  /** How its column becomes JSON. */
  readonly json: JsonType;
  /** Whether its check also needs the database or the site settings. */
  readonly asks: boolean;
  /** Whether a value that passed the check may be cached: values recur, and stay valid. */
  readonly recurs: boolean;
  /** The maximum length of a text in a value, in characters; null where it contains none. */
  longest(field: Field): number | null;
  /** The form in which it is stored. A value of the wrong type is returned unchanged, for the check to refuse. */
  normalize(value: unknown, field: Field): unknown;
  /** The check of a value in that form; null and undefined pass. Built once per field. */
  check(field: Field): Schema;
  /** The JSON Schema (2020-12, as in OpenAPI 3.1) of a value. */
  schema(field: Field): JsonSchema;
  /** The same as it is answered, where more is always there than has to be sent. */
  answer?(field: Field): JsonSchema;
  /** The values of its columns. */
  encode(value: unknown, dialect: Dialect): SqlValue[];
  /** The ID of the object that a value, or an item of a list, refers to; null for kinds that refer to none. */
  readonly referredId: ((value: unknown) => string) | null;
  /** Where an item of a list holds that ID, for items that are more than the ID. */
  readonly referredAt?: string;
  /** A value in a parameter; null where nothing is found by what it is exactly. */
  readonly parameter: Parameter | null;
}

/** Converts a value to its column, for kinds with one column. */
export const plain = (value: unknown): SqlValue[] => [(value ?? null) as SqlValue];

/** The same, for a value that is stored as JSON text. */
export const json = (value: unknown): SqlValue[] => [
  value === null || value === undefined ? null : JSON.stringify(value),
];

/** What the kinds have in common whose values are JSON in one column. */
export const jsonColumn = {
  attributes: ['json'],
  natural: [],
  json: 'json',
  asks: false,
  recurs: false,
  encode: json,
} as const satisfies Partial<KindDefinition>;
