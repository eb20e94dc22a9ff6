/** Checks a body against the declaration of its type: all that is wrong with it, at once. */
import * as yup from 'yup';
import type { Caller, Role } from '../../../accounts/server/caller';
import { owns } from '../../../accounts/server/permissions';
import { issue, type Issue } from '../../../wire/server/errors';
import type { Audience } from '../define/declaration';
import type { Field, Resource } from '../define/resource';
import type { Body } from '../types';
import { issuesOf } from './complain';
import { normalize } from './normalize';
import { valueSchema, type CheckContext } from './values';

export interface Checked {
  /** The fields of the body by name, in the form in which they are kept. */
  readonly values: Body;
  readonly issues: readonly Issue[];
  /** Fields that exist and that this caller may not write. */
  readonly forbidden: readonly Issue[];
}

export interface Validator {
  /** @param before the object that is changed, null for one that is being made */
  check(body: unknown, before: Body | null, caller: Caller, now: number): Checked;
}

/** The least role that belongs to an audience, of whoever is not the owner. */
const LEAST: Record<Audience, readonly Role[]> = {
  everyone: ['anonymous', 'user', 'moderator', 'administrator'],
  owner: ['moderator', 'administrator'],
  moderator: ['moderator', 'administrator'],
  self: ['administrator'],
  administrator: ['administrator'],
  nobody: [],
};

/** Whether a caller is among those who see, or write, what is for this audience. */
export const belongs = (caller: Caller, audience: Audience, isOwner: boolean): boolean =>
  LEAST[audience].includes(caller.role) || (OF_THE_OWNER.has(audience) && isOwner);

const OF_THE_OWNER: ReadonlySet<Audience> = new Set(['owner', 'self']);

/** Builds the checks of a type: once, when the declarations are completed. */
export function createValidator(resource: Pick<Resource, 'fields' | 'ownedBy'>): Validator {
  const writable = [...resource.fields.values()].filter((field) => !field.derived);
  const shape = Object.fromEntries(writable.map((field) => [field.name, valueSchema(field)]));
  const update = yup.object(
    Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, schema.optional()])),
  );
  const id = resource.fields.get('id');
  const create = yup.object({ ...shape, ...(id ? { id: valueSchema(id) } : {}) });

  return {
    check(body, before, caller, now) {
      if (typeof body !== 'object' || body === null || Array.isArray(body)) {
        return { values: {}, issues: [issue('', 'TYPE', { expected: 'object' })], forbidden: [] };
      }
      const mode = before === null ? 'create' : 'update';
      // Who makes an object is its owner.
      const owner = resource.ownedBy ? before?.[resource.ownedBy.name] : null;
      const isOwner = before === null || owns(caller, owner as string | null);
      const values: Record<string, unknown> = {};
      const issues: Issue[] = [];
      const forbidden: Issue[] = [];
      for (const [name, value] of Object.entries(body)) {
        const field = resource.fields.get(name);
        if (!field) issues.push(issue(name, 'UNKNOWN', {}));
        else if (!isWritable(field, mode)) issues.push(issue(name, 'NOT_WRITABLE', {}));
        else if (belongs(caller, field.written, isOwner)) values[name] = normalize(field, value);
        else if (!isAsItIs(field, value, before)) forbidden.push(issue(name, 'NOT_PERMITTED', {}));
      }
      issues.push(...faults(mode === 'create' ? create : update, values, { now }));
      return { values, issues, forbidden };
    },
  };
}

/** A choice that somebody sends along, and that is no change. */
const isAsItIs = (field: Field, value: unknown, before: Body | null): boolean =>
  field.kind === 'choice' &&
  normalize(field, value) === (before ? before[field.name] : field.default);

const isWritable = (field: Field, mode: 'create' | 'update'): boolean =>
  !field.derived || (field.name === 'id' && mode === 'create');

function faults(schema: yup.Schema, values: Body, context: CheckContext): Issue[] {
  try {
    schema.validateSync(values, {
      strict: true,
      abortEarly: false,
      context,
      disableStackTrace: true,
    });
    return [];
  } catch (error) {
    if (yup.ValidationError.isError(error)) return issuesOf(error);
    throw error;
  }
}
