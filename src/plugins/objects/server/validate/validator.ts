/** Checks a body against the declaration of its type, and reports all issues at once. */
import { issue, type Issue } from '../../../../core/errors';
import { tellsTime } from '../../../../core/formats';
import type { Field, Resource } from '../declare/completed';
import { acceptance, definitionOf } from '../kinds';
import { ValidValues } from '../kinds/valid-values';
import type { Body } from '../declare/objects';
import { faultsAt, normalize, unsafeTexts, valueSchema } from './value';

export interface Checked {
  /** The normalized fields of the body by name. */
  readonly values: Body;
  readonly issues: readonly Issue[];
}

export interface Validator {
  /** @param mode create or update, which accept different fields */
  check(body: unknown, mode: Mode, now: number): Checked;
}

export type Mode = 'create' | 'update';

const NOTHING: ReadonlySet<string> = new Set();

/**
 * Builds the checks of a type: once, when the declarations are completed.
 *
 * @param added the members of a read that are no fields, which a client may send back
 */
export function createValidator(
  { fields }: Pick<Resource, 'fields'>,
  added: ReadonlySet<string> = NOTHING,
): Validator {
  const checked = [...fields.values()].filter(({ derived, name }) => !derived || name === 'id');
  const checks = checked.map((field) => ({
    name: field.name,
    required: field.required,
    schema: valueSchema(field),
    accepts: acceptance(field),
    valid: definitionOf(field.kind).recurs ? new ValidValues() : null,
  }));

  /** The normalized values of the fields that a body may contain; what else it has is added to the issues. */
  function writable(body: object, mode: Mode, issues: Issue[]): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(body)) {
      const field = fields.get(name);
      if (!field) issues.push(issue(name, added.has(name) ? 'NOT_WRITABLE' : 'UNKNOWN', {}));
      else if (!isWritable(field, mode)) issues.push(issue(name, 'NOT_WRITABLE', {}));
      else {
        const unsafe = unsafeTexts(field, value);
        if (unsafe.length === 0) values[name] = normalize(field, value);
        issues.push(...unsafe);
      }
    }
    return values;
  }

  return {
    check(body, mode, now) {
      if (typeof body !== 'object' || body === null || Array.isArray(body))
        return { values: {}, issues: [issue('', 'TYPE', { expected: 'object' })] };
      const issues: Issue[] = [];
      const values = writable(body, mode, issues);
      // Field by field, because most fields of a type are absent from a body, and yup takes as long for absent ones.
      const context = { now };
      for (const { name, required, schema, valid, accepts } of checks) {
        const value = values[name];
        if (value === undefined && !(required && mode === 'create' && !(name in body))) continue;
        if (accepts?.(value, context) || valid?.has(value)) continue;
        const found = faultsAt(schema, name, value, context);
        if (found.length === 0) valid?.add(value);
        issues.push(...found);
      }
      // Beside a hidden record it would tell which open ones were made in the same minute.
      const id = values['id'];
      if (typeof id === 'string' && tellsTime(id))
        issues.push(issue('id', 'FORMAT', { expected: 'untimed_uuid' }));
      return { values, issues };
    },
  };
}

/** Whether a body may contain a field at all. */
const isWritable = (field: Field, mode: Mode): boolean =>
  mode === 'create'
    ? (!field.derived || field.name === 'id') && field.input !== 'update'
    : !field.derived && field.input !== 'create' && field.inverse?.input !== 'create';
