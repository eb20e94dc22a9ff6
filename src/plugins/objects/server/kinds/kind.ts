/** All that a kind of value is: stored form, normalization, check, JSON Schema, and how it is written in a parameter. */
import type { Schema } from 'yup';
import type { ColumnType, Dialect, JsonType } from '../database/database';
import type { SqlValue } from '../database/sql';
import type { Field } from '../define/completed';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** What a check is told beside the value. */
export interface CheckContext {
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface Parameter {
  /** What cannot be read stays a text, for the check to name. */
  read(text: string): unknown;
  /** Of the column that it is compared with. */
  readonly type: ColumnType;
}

export interface KindDefinition {
  /** The types of Strapi's attributes that can hold it. */
  readonly attributes: readonly string[];
  /** Those whose values are of this kind where the declaration names none. */
  readonly natural: readonly string[];
  /** What an absent value reads as; where it is not null, a value of this kind is never null. */
  readonly empty: unknown;
  /** How its column becomes JSON. */
  readonly json: JsonType;
  /** Whether its check asks the database or the settings of the instance too. */
  readonly asks: boolean;
  /** Whether the same values come again and again, and are right for ever once they are right. */
  readonly recurs: boolean;
  /** Characters of the longest text in a value; null where a value holds none. */
  longest(field: Field): number | null;
  /** The form in which it is kept. What has the wrong type passes unchanged: the check names it. */
  normalize(value: unknown, field: Field): unknown;
  /** The check of a value in that form; null and undefined pass. Built once for each field. */
  check(field: Field): Schema;
  /** JSON Schema (2020-12, as OpenAPI 3.1 has it) of the same. */
  schema(field: Field): JsonSchema;
  /** The values of its columns. */
  encode(value: unknown, dialect: Dialect): SqlValue[];
  /** The ID of the object that a value, or an item of a list, refers to; null for kinds that refer to none. */
  readonly referredId: ((value: unknown) => string) | null;
  /** A value in a parameter; null where nothing is found by what it is exactly. */
  readonly parameter: Parameter | null;
}

/** How a value becomes a column, for the kinds that have one. */
export const plain = (value: unknown): SqlValue[] => [(value ?? null) as SqlValue];

/** The same, as JSON text. */
export const json = (value: unknown): SqlValue[] => [
  value === null || value === undefined ? null : JSON.stringify(value),
];
