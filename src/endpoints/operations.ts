import type { ErrorKey } from '../core/errors';
import type { BodyShape } from '../plugins/objects/server/define/request-body';
import type { JsonSchema } from '../plugins/objects/server/kinds/kind';
import type { Resources } from '../plugins/objects/server/define/completed';
import type { Operation } from '../plugins/wire/server/request';

/** One of the calls that every type of objects has. */
export interface StandardOperation extends Operation {
  readonly kind: 'create' | 'read' | 'update' | 'delete';
  readonly type: string;
  /** With what the type's own rules may refuse it, beside what refuses such a call of any type. */
  readonly refusals: readonly ErrorKey[];
  /** What the answer holds beside what that of any type holds. */
  readonly answers?: Readonly<Record<string, JsonSchema>>;
  /** What is not in every answer. */
  readonly mayAnswer?: Readonly<Record<string, JsonSchema>>;
}

/** A call that answers bytes, to whoever may read the object that they belong to. */
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

/** A call of its own, which is none of a type's. */
export interface ActionOperation extends Operation {
  readonly kind: 'action';
  /** The name of the call, in camelCase. */
  readonly name: string;
  readonly tag: string;
  readonly summary: string;
  readonly body?: BodyShape;
  /** What may stand behind the `?`. */
  readonly parameters?: (resources: Resources) => readonly JsonSchema[];
  /** Whether the answer has `matches`. */
  readonly finds?: boolean;
  /** What `response` holds. */
  readonly response: JsonSchema;
  /** With what it may refuse, beside what refuses any call. */
  readonly refusals: readonly ErrorKey[];
}

/** A call that answers a document, outside the envelope. */
export interface DocumentOperation extends Operation {
  readonly kind: 'document';
  readonly summary: string;
}

export type AnyOperation = StandardOperation | FileOperation | ActionOperation | DocumentOperation;
