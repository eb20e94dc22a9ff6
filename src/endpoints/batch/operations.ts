/** The operations of a batch: read from its body, each one change of an object. */
import { ApiError, issue, malformed, MAX_FAULTS, type Issue } from '../../core/errors';
import { defineBody, type BodyShape } from '../../plugins/objects/server/validate/request-body';
import type { Body, BulkOptions, Change } from '../../plugins/objects/server/declare/objects';
import { conditionOf } from '../../plugins/wire/server/etag';
import type { Operation } from '../../plugins/wire/server/request';
import { unknownFields } from '../controller';
import type { AnyOperation } from '../operations';

/** The number of operations of a batch. */
export const MAX_OPERATIONS = 500;

/** The operations of each type. */
export type Operations = ReadonlyMap<string, ReadonlySet<string>>;

/** The operations of all calls that create, update or delete an object, or run an action of its type. */
export function operationsOf(calls: readonly Operation[]): Operations {
  const byType = new Map<string, Set<string>>();
  for (const call of calls as readonly AnyOperation[]) {
    const op = nameOf(call);
    if (op === null || !('type' in call)) continue;
    byType.set(call.type, (byType.get(call.type) ?? new Set()).add(op));
  }
  // Only types whose objects can be deleted: neither the site settings nor collaborations.
  return new Map([...byType].filter(([, ops]) => ops.has('delete')));
}

/** Null for what changes nothing, and for what comes as a form. */
function nameOf(call: AnyOperation): string | null {
  if (call.kind === 'act') return call.action;
  const isChange = call.kind === 'create' || call.kind === 'update' || call.kind === 'delete';
  return isChange && !call.isMultipart ? call.kind : null;
}

export interface Batch extends Required<Pick<BulkOptions, 'atomic' | 'dryRun'>> {
  readonly changes: readonly Change[];
}

export const OPTIONS = defineBody({
  atomic: { kind: 'boolean', description: 'All operations or none; by default true.' },
  dry_run: { kind: 'boolean', description: 'Everything is checked and told, nothing is kept.' },
});

/** The bodies of the operations, without `body`: of one that creates an object, and of any other. */
export function shapesOf(
  operations: Operations,
): Readonly<Record<'creation' | 'other', BodyShape>> {
  const ops = [...new Set([...operations.values()].flatMap((of) => [...of]))];
  const opOf = (choices: readonly string[]) =>
    ({ kind: 'choice', choices, required: true, description: 'What is done.' }) as const;
  const head = {
    type: {
      kind: 'choice',
      choices: [...operations.keys()],
      required: true,
      description: 'The type of the object.',
    },
  } as const;
  return {
    creation: defineBody({ op: opOf(['create']), ...head }),
    other: defineBody({
      op: opOf(ops.filter((op) => op !== 'create')),
      ...head,
      id: {
        kind: 'uuid',
        required: true,
        description: 'The object. A new one is named in `body`.',
      },
      if_match: {
        kind: 'text',
        maxLength: 1000,
        description: 'As the header `If-Match` of the single call.',
      },
    }),
  };
}

/** Reads the body of a batch. The function throws ApiError MALFORMED. */
export function createBatchReader(operations: Operations): (body: unknown) => Batch {
  const { creation, other } = shapesOf(operations);

  /** @param issues gets what is wrong, at paths from the operation on */
  const changeOf = (given: unknown, issues: Issue[]): Change | null => {
    const { body = {}, ...rest } = asObject(given);
    const shape = rest['op'] === 'create' ? creation : other;
    const values = checked(shape, isObject(given) ? rest : given, issues);
    if (!values) return null;
    const [op, type] = [String(values['op']), String(values['type'])];
    const allowed = [...(operations.get(type) ?? [])];
    if (!allowed.includes(op)) {
      issues.push(issue('op', 'NOT_ONE_OF', { allowed }));
      return null;
    }
    if (op === 'create') return { op, type, body: body as Body };
    // Null is as good as absent.
    const tag = (values['if_match'] as string | null | undefined) ?? undefined;
    const { ifMatch, invalid } = conditionOf(tag);
    issues.push(...invalid.map((one) => ({ ...one, path: 'if_match' })));
    const at = { type, id: String(values['id']), ...(ifMatch === undefined ? {} : { ifMatch }) };
    if (op === 'update') return { op, ...at, body: body as Body };
    if (op !== 'delete') return { op: 'act', action: op, ...at, body: body as Body };
    issues.push(...unknownFields({ body }).map((one) => issueWithin('body', one)));
    return { op, ...at };
  };

  return (body) => {
    const { operations: list, ...rest } = asObject(body);
    const issues: Issue[] = [];
    const options = checked(OPTIONS, isObject(body) ? rest : body, issues);
    issues.push(...faultsOfList(list));
    const changes: Change[] = [];
    for (const [at, given] of (issues.length === 0 ? (list as unknown[]) : []).entries()) {
      const found: Issue[] = [];
      const change = changeOf(given, found);
      if (change) changes.push(change);
      issues.push(...found.map((one) => issueWithin(`operations.${at}`, one)));
      if (issues.length >= MAX_FAULTS) break;
    }
    if (issues.length > 0) throw malformed(issues);
    return {
      changes,
      atomic: options?.['atomic'] !== false,
      dryRun: options?.['dry_run'] === true,
    };
  };
}

const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const asObject = (value: unknown): Body => (isObject(value) ? value : {});

/** An issue of a part, at its path in the whole. */
export const issueWithin = (path: string, one: Issue): Issue => ({
  ...one,
  path: one.path === '' ? path : `${path}.${one.path}`,
});

/** The values of a body; null where something is wrong with it. */
function checked(shape: BodyShape, value: unknown, issues: Issue[]): Body | null {
  try {
    return shape.check(value);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    issues.push(...error.invalid);
    return null;
  }
}

function faultsOfList(list: unknown): Issue[] {
  const path = 'operations';
  if (list === undefined || list === null) return [issue(path, 'REQUIRED', {})];
  if (!Array.isArray(list)) return [issue(path, 'TYPE', { expected: 'array' })];
  if (list.length === 0) return [issue(path, 'TOO_SHORT', { min: 1 })];
  return list.length > MAX_OPERATIONS ? [issue(path, 'TOO_LONG', { max: MAX_OPERATIONS })] : [];
}
