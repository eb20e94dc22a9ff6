/** Bodies of calls that are no object: declared like one's fields, and checked alike. */
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
  /** The body in the form in which values are kept. @throws ApiError MALFORMED with all that is wrong */
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
