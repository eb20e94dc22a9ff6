/** What a search asks of an object. */
import type { TimeSpan, WrittenSpan } from '../../../../../core/time';
import type { Field } from '../../define/completed';
import type { Subject } from './filters';

/** One condition. */
export type Condition =
  | {
      readonly by: 'values';
      readonly subject: Subject;
      readonly not: boolean;
      readonly values: readonly unknown[];
    }
  | {
      readonly by: 'bound';
      readonly subject: Subject;
      readonly side: 'min' | 'max';
      /** Of a time as it is written; of an instant as it is. */
      readonly bound: number | TimeSpan | WrittenSpan;
    }
  | {
      /** Both bounds of a time. */
      readonly by: 'span';
      readonly subject: Subject;
      readonly from: WrittenSpan;
      readonly to: WrittenSpan;
    }
  | SubtreeCondition
  | { readonly by: 'regions'; readonly field: Field; readonly keys: readonly string[] }
  | AreaCondition
  | { readonly by: 'id'; readonly id: string }
  | WordsCondition;

/** A beginning without an end. */
export interface OpenSpan extends Extract<Condition, { by: 'bound' }> {
  readonly side: 'min';
  readonly bound: WrittenSpan;
}

/** An object and all below it. */
export interface SubtreeCondition {
  readonly by: 'subtree';
  readonly field: Field;
  readonly id: string;
  /** Their rows, if they were asked for and are few. */
  readonly rows?: readonly number[];
}

export type AreaCondition =
  | {
      readonly by: 'box';
      readonly box: readonly [west: number, south: number, east: number, north: number];
    }
  | {
      readonly by: 'circle';
      readonly latitude: number;
      readonly longitude: number;
      readonly kilometers: number;
    };

/** All of these words occur. */
export interface WordsCondition {
  readonly by: 'words';
  readonly words: readonly (readonly string[])[];
  /** By the word and the name of a field: the rows of the objects that it refers to and that have the word. */
  readonly named?: ReadonlyMap<string, readonly number[] | 'many'>;
  /** By the word: the tokens that its last one may be the beginning of, with their marks. */
  readonly completed?: ReadonlyMap<number, readonly string[] | 'many'>;
  /** The marks by which the caller finds words that not everybody does; absent as long as nobody has asked. */
  readonly marks?: readonly string[] | 'many';
}
