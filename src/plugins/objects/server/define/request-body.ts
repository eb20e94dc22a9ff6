/** Bodies of calls that belong to no type: declared and checked like the fields of an object. */
import { malformed, type Expected } from '../../../../core/errors';
import type { Kind } from '../kinds/names';
import type { Body } from '../types';
import { createValidator } from '../validate/validator';
import { plainField } from './common';
import type { Field } from './completed';

export interface InputDeclaration {
  readonly kind: Kind;
  readonly description: string;
  readonly required?: true;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly rejects?: (text: string) => Expected | null;
}

export interface BodyShape {
  readonly fields: readonly Field[];
  /** The normalized body. @throws ApiError MALFORMED with all issues */
  check(body: unknown): Body;
}

/** Declares the body of a call. */
export function defineBody(declared: Readonly<Record<string, InputDeclaration>>): BodyShape {
  const fields = Object.entries(declared).map(([name, { kind, description, ...rest }]): Field => ({
    ...plainField(name, kind, description),
    ...rest,
  }));
  const validator = createValidator({
    fields: new Map(fields.map((field) => [field.name, field])),
  });
  return {
    fields,
    check(body) {
      const { values, issues } = validator.check(body, 'create', Date.now());
      if (issues.length > 0) throw malformed(issues);
      return values;
    },
  };
}
