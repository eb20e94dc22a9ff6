import type { ErrorKey } from '../core/errors';
import type { BodyShape } from '../plugins/objects/server/validate/request-body';
import type { JsonSchema } from '../plugins/objects/server/kinds/kind';
import type { Resources } from '../plugins/objects/server/declare/completed';
import type { Operation } from '../plugins/wire/server/request';

/** One of the four calls by which objects of every type are read and written. */
export interface StandardOperation extends Operation {
  readonly kind: 'create' | 'read' | 'update' | 'delete';
  readonly type: string;
  /** The keys with which the type's own rules may refuse it, beside those of every type. */
  readonly refusals: readonly ErrorKey[];
  /** What the answer holds beside what that of any type holds. */
  readonly answers?: Readonly<Record<string, JsonSchema>>;
  /** What is not in every answer. */
  readonly mayAnswer?: Readonly<Record<string, JsonSchema>>;
}

/** One of a type's own actions on an object; its declaration says the rest. */
export interface ActOperation extends Operation {
  readonly kind: 'act';
  readonly type: string;
  readonly action: string;
}

/** The call for the history of one object, which every type with several objects has. */
export interface HistoryOperation extends Operation {
  readonly kind: 'history';
  readonly type: string;
}

/** A call that answers with bytes, for callers who may read the object that they belong to. */
export interface FileOperation extends Operation {
  readonly kind: 'file';
  readonly type: string;
  /** The name of the call, in camelCase. */
  readonly name: string;
  readonly summary: string;
  readonly parameters: readonly JsonSchema[];
  /** What the bytes may be. */
  readonly mediaTypes: readonly string[];
  readonly refusals: readonly ErrorKey[];
}

/** A call that belongs to no type. */
export interface ActionOperation extends Operation {
  readonly kind: 'action';
  /** The name of the call, in camelCase. */
  readonly name: string;
  readonly tag: string;
  readonly summary: string;
  readonly body?: BodyShape;
  /** The schema of its body, where that follows from other calls. */
  readonly input?: (calls: readonly AnyOperation[]) => JsonSchema;
  /** The query parameters. */
  readonly parameters?: (resources: Resources) => readonly JsonSchema[];
  /** Whether the answer has `matches`. */
  readonly finds?: boolean;
  /** The type whose objects it reads: it is refused to whom a read of any of them would be. */
  readonly reads?: string;
  /** The schema of `response`, which may follow from the declared types. */
  readonly response: JsonSchema | ((resources: Resources) => JsonSchema);
  /** It answers bytes of one of these media types in place of the envelope. */
  readonly streams?: readonly string[];
  /** The keys with which it may be refused, beside those of every call. */
  readonly refusals: readonly ErrorKey[];
}

/** A call that answers with a document outside the envelope. */
export interface DocumentOperation extends Operation {
  readonly kind: 'document';
  readonly summary: string;
}

export type AnyOperation =
  | StandardOperation
  | ActOperation
  | HistoryOperation
  | FileOperation
  | ActionOperation
  | DocumentOperation;
