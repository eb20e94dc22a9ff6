/** Bodies of calls that are no object: declared like one's fields, and checked alike. */
import { malformed } from '../../../wire/server/errors';
import { anonymous } from '../../../accounts/server/caller';
import type { Body } from '../types';
import { createValidator } from '../validate/validator';
import { common } from './common';
import type { Kind } from './declaration';
import type { Field } from './resource';

export interface InputDeclaration {
  readonly kind: Kind;
  readonly description: string;
  readonly required?: true;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Of a secret: one that is there already, and need not be a good one. */
  readonly input?: true;
}

export interface BodyShape {
  readonly fields: readonly Field[];
  /** The body in the form in which values are kept. @throws WireError MALFORMED with all that is wrong */
  check(body: unknown): Body;
}

/** Declares the body of a call. */
export function defineBody(declared: Readonly<Record<string, InputDeclaration>>): BodyShape {
  const fields = Object.entries(declared).map(([name, { kind, description, ...rest }]): Field => ({
    ...common(name, kind, '', description),
    derived: false,
    ...rest,
  }));
  const validator = createValidator({
    fields: new Map(fields.map((field) => [field.name, field])),
    ownedBy: null,
  });
  return {
    fields,
    check(body) {
      const { values, issues } = validator.check(body, null, anonymous(), Date.now());
      if (issues.length > 0) throw malformed(issues);
      return values;
    },
  };
}
