/** The new objects of a bulk: their rows are written together, and what is unique is looked up for many at once. */
import { raw, sql, type SqlValue } from '../database/sql';
import { ask, type Work } from '../database/work';
import type { Resource, Unique } from '../define/completed';
import type { TypeModel } from '../model';
import type { Body, Change, CreateChange } from '../types';
import { normalize } from '../validate/value';
import { lookUpReferences } from './checks';
import type { Inserts, WriteContext } from './context';
import type { InsertStep } from './plan';

/** The objects that are looked at or written together. */
const TOGETHER = 500;

const nameOf = ({ table }: Resource, { column }: Unique, key: SqlValue): string =>
  `${table} ${column} ${key}`;

/** Unique rules with keys that a create sets. */
const rulesOf = ({ unique }: Resource): Unique[] =>
  unique.filter(({ fields }) => fields[0] !== 'id');

/**
 * Whether the plan of one new object does not depend on the row of another one of its type, except by the rules that
 * are `unique`.
 */
const isApart = ({ type, fields, uniqueRecords }: Resource): boolean =>
  uniqueRecords.length === 0 &&
  [...fields.values()].every(({ to, edges, inverse }) => to !== type && !edges && !inverse?.input);

export class BulkInserts implements Inserts {
  private steps: InsertStep[] = [];
  /** The keys of these steps. */
  private readonly waiting = new Set<string>();
  /** Keys that no row has. */
  private readonly free = new Set<string>();
  /** IDs that new rows of a table will have. */
  private readonly reserved = new Map<string, SqlValue[]>();
  /** The place of the first change that has not been looked at. */
  private ahead = 0;

  /** @param writeAll writes the rows, with all that follows; as many IDs as rows, or none where they come with the rows */
  constructor(
    private readonly writeAll: (
      context: WriteContext,
      steps: readonly InsertStep[],
      rowIds: readonly SqlValue[],
    ) => Work<void>,
  ) {}

  /** Prepares for the change at this place: what it could depend on is written, and its keys are looked up. */
  *prepare(context: WriteContext, changes: readonly object[], at: number): Work<void> {
    const change = changes[at] as Change;
    const [first] = this.steps;
    const isAlike = change.op === 'create' && first?.type.resource.type === change.type;
    if (first && !isAlike) yield* this.write(context);
    if (change.op !== 'create') this.free.clear();
    else if (at >= this.ahead) {
      yield* this.lookAhead(context, changes, at, change);
      // Now, so that the look-ups do not wait for it, and the next plans are made meanwhile.
      yield* this.write(context);
    }
  }

  take(step: InsertStep): boolean {
    const { type, id, after } = step;
    if (step.claim || !isApart(type.resource)) return false;
    this.steps.push(step);
    for (const name of namesOf(type.resource, { ...after, id })) {
      this.free.delete(name);
      this.waiting.add(name);
    }
    return true;
  }

  *isFree(context: WriteContext, resource: Resource, rule: Unique, key: SqlValue): Work<boolean> {
    const name = nameOf(resource, rule, key);
    if (this.waiting.has(name)) yield* this.write(context);
    return this.free.has(name);
  }

  *write(context: WriteContext): Work<void> {
    const steps = this.steps;
    if (steps.length === 0) return;
    this.steps = [];
    this.waiting.clear();
    const [first] = steps;
    const ids = this.reserved.get(first?.type.resource.table ?? '') ?? [];
    yield* this.writeAll(
      context,
      steps,
      ids.length < steps.length ? [] : ids.splice(0, steps.length),
    );
  }

  private *lookAhead(
    context: WriteContext,
    changes: readonly object[],
    at: number,
    { type }: CreateChange,
  ): Work<void> {
    this.free.clear();
    const next = changes.slice(at, at + TOGETHER) as readonly Change[];
    const other = next.findIndex((change) => change.op !== 'create' || change.type !== type);
    const alike = (other === -1 ? next : next.slice(0, other)) as readonly CreateChange[];
    this.ahead = at + alike.length;
    const { resource, asking } = context.model.type(type);
    if (alike.length < 2 || !isApart(resource)) return;
    const bodies = alike.map(({ body }) => body).filter(isObject);
    yield* lookUpReferences(context, asking, bodies);
    const { dialect } = context.model.database;
    const reserved = this.reserved.get(resource.table) ?? [];
    // What was refused has left some.
    const missing = this.steps.length + alike.length - reserved.length;
    if (dialect.reserveRows && missing > 0) {
      const ids = yield* ask(dialect.reserveRows(resource.table, missing));
      this.reserved.set(resource.table, [...reserved, ...ids.map(([id]) => Number(id))]);
    }
    for (const rule of rulesOf(resource)) {
      const keys = bodies.flatMap((body) => keyOf(resource, rule, body) ?? []);
      if (keys.length === 0) continue;
      const list = dialect.jsonItems(sql`${JSON.stringify(keys)}`);
      const taken = yield* ask(
        sql`select ${raw(rule.column)} from ${raw(resource.table)}
          where ${raw(rule.column)} ${dialect.among(sql`select j.value from ${list}`)}`,
      );
      for (const name of keys.map((key) => nameOf(resource, rule, key)))
        if (!this.waiting.has(name)) this.free.add(name);
      for (const [key = null] of taken) this.free.delete(nameOf(resource, rule, key));
    }
  }
}

const isObject = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && !Array.isArray(body);

const namesOf = (resource: Resource, object: Body): string[] =>
  rulesOf(resource).flatMap((rule) => {
    const key = rule.key(object);
    return key === null ? [] : nameOf(resource, rule, key);
  });

/** The key that a body would have; null for a body that is refused anyway. */
function keyOf({ fields }: Resource, rule: Unique, given: Body): string | number | null {
  const values: Record<string, unknown> = {};
  for (const name of [...rule.fields, ...rule.dependsOn]) {
    const field = fields.get(name);
    const value = given[name];
    if (typeof value === 'string' && value.length > MAX_KEY) return null;
    if (field) values[name] = value === undefined ? field.default : normalize(field, value);
  }
  return rule.key(values);
}

/** A longer text is not looked up ahead: it may be refused before it is normalized. */
const MAX_KEY = 1_000;

/** The row IDs of what these objects refer to. */
export function* referredRows(
  { model, references }: WriteContext,
  { resource }: TypeModel,
  objects: readonly Body[],
): Work<(type: string, id: SqlValue) => SqlValue> {
  const { dialect } = model.database;
  const question = (type: string, id: SqlValue): string => `row of ${type} ${id}`;
  for (const { name, to, columns } of resource.fields.values()) {
    const target = to === null || columns.length === 0 ? undefined : model.find(to)?.resource;
    if (!target) continue;
    const ids = new Set(objects.map((object) => object[name]).filter((id) => id !== null));
    const open = [...ids].filter(
      (id) => references.answer(question(target.type, id as SqlValue)) === undefined,
    );
    if (open.length === 0) continue;
    const list = dialect.jsonItems(sql`${JSON.stringify(open)}`);
    const rows = yield* ask(
      sql`select document_id, id from ${raw(target.table)}
        where document_id ${dialect.among(sql`select j.value from ${list}`)}`,
    );
    for (const [id = null, row = null] of rows)
      references.putAnswer(question(target.type, id), row);
  }
  return (type, id) => references.answer(question(type, id)) ?? null;
}
