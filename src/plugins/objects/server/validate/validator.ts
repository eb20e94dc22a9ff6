/** Checks a body against the declaration of its type: all that is wrong with it, at once. */
import * as yup from 'yup';
import type { Caller, Role } from '../../../accounts/server/caller';
import { owns } from '../../../accounts/server/permissions';
import { issue, type Issue } from '../../../wire/server/errors';
import type { Audience, Kind } from '../define/declaration';
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
  const id = resource.fields.get('id');
  const schema = yup.object({ ...shape, ...(id ? { id: valueSchema(id) } : {}) });
  const checks = Object.keys(schema.fields).map((name) => ({
    name,
    required: resource.fields.get(name)?.required ?? false,
    passed: new Passed(resource.fields.get(name)?.kind ?? 'id'),
  }));

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
      // Field by field, since most of a type's fields are absent from a body, and yup takes as long for those.
      for (const { name, required, passed } of checks) {
        const value = values[name];
        if (value === undefined && !(required && mode === 'create')) continue;
        if (passed.has(value)) continue;
        const found = faults(schema, name, values, { now });
        if (found.length === 0) passed.add(value);
        issues.push(...found);
      }
      return { values, issues, forbidden };
    },
  };
}

/** A choice that somebody sends along, and that is no change. */
const isAsItIs = (field: Field, value: unknown, before: Body | null): boolean =>
  field.kind === 'choice' &&
  normalize(field, value) === (before ? before[field.name] : field.default);

/** How many values of a field are remembered, and up to which length. */
const MAX_PASSED = 4_096;
const MAX_PASSED_LENGTH = 64;

/**
 * Kinds whose values hardly ever come twice, or are not to be kept; and what is right as a time now may lie in the
 * future later.
 */
const PASSING: ReadonlySet<Kind> = new Set(['id', 'uuid', 'time', 'email', 'secret']);

/**
 * Values of one field that are known to be right. Most of what an import writes has been in a row before (the place,
 * the source, the sex), and yup takes some 5 µs for each.
 */
class Passed {
  private readonly values = new Set<unknown>();

  constructor(private readonly kind: Kind) {}

  has(value: unknown): boolean {
    return this.values.has(value);
  }

  add(value: unknown): void {
    const fits =
      typeof value === 'string' ? value.length <= MAX_PASSED_LENGTH : Number.isFinite(value);
    if (!fits || PASSING.has(this.kind)) return;
    if (this.values.size === MAX_PASSED) this.values.clear();
    this.values.add(value);
  }
}

const isWritable = (field: Field, mode: 'create' | 'update'): boolean =>
  mode === 'create'
    ? (!field.derived || field.name === 'id') && field.input !== 'update'
    : !field.derived;

function faults(schema: yup.Schema, name: string, values: Body, context: CheckContext): Issue[] {
  try {
    schema.validateSyncAt(name, values, {
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
