/** Bodies of calls that are no objects: declared and checked like the fields of one. */
import { issue, malformed } from '../../../../core/errors';
import { createValidator } from './validator';
import { plainField } from '../declare/common';
import type { BodyShape, Field } from '../declare/completed';
import type { BodyDeclaration } from '../declare/behavior';

export type { BodyShape } from '../declare/completed';

/** Declares the body of a call. */
export function defineBody(declared: BodyDeclaration): BodyShape {
  const fields = Object.entries(declared).map(([name, { kind, description, ...rest }]): Field => ({
    ...plainField(name, kind, description),
    ...rest,
  }));
  const validator = createValidator({
    fields: new Map(fields.map((field) => [field.name, field])),
  });
  const required = Object.entries(declared).flatMap(([name, input]) =>
    input.required || input.present ? name : [],
  );
  const mayBeNull = required.filter((name) => !declared[name]?.required);
  const read: BodyShape['read'] = (body) => {
    const { values, issues } = validator.check(body, 'create', Date.now());
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    const absent = isObject ? mayBeNull.filter((name) => !(name in body)) : [];
    return { values, issues: [...issues, ...absent.map((name) => issue(name, 'REQUIRED', {}))] };
  };
  return {
    fields,
    required,
    read,
    check(body) {
      const { values, issues } = read(body);
      if (issues.length > 0) throw malformed(issues);
      return values;
    },
  };
}
