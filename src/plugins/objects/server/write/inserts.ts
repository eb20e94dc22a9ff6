/** The new objects of several changes: their rows are written together, and what they ask for is looked up for many at once. */
import { raw, sql, type SqlValue } from '../database/sql';
import { ask, sideBySide, type Work } from '../database/work';
import type { Resource, Unique } from '../declare/completed';
import type { TypeModel } from '../read/model';
import type { Body, Change } from '../declare/objects';
import { normalize } from '../validate/value';
import { lookUpReferences } from './checks';
import type { Insert, Inserts, WriteContext } from './context';
import { lookAheadKept } from './kept';
import type { InsertStep } from './plan';

/** The objects that are looked at or written together. */
const TOGETHER = 500;

/** IDs that are reserved beyond what is needed, for the next transactions. */
const SPARE = 100;

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

/** A change that makes an object, and what it is carried out with. */
interface Creating {
  readonly context: WriteContext;
  readonly body: Body;
}

export class BulkInserts implements Inserts {
  private inserts: Insert[] = [];
  /** The keys of these. */
  private readonly waiting = new Set<string>();
  /** Keys that no row has. */
  private readonly free = new Set<string>();
  /** IDs that new rows of a table will have. */
  private readonly reserved = new Map<string, number[]>();
  /** The place of the first change that has not been looked at. */
  private ahead = 0;

  /** @param writeAll writes the rows, with all that follows; as many IDs as rows, or none where they come with the rows */
  constructor(
    private readonly writeAll: (
      inserts: readonly Insert[],
      rowIds: readonly SqlValue[],
    ) => Work<void>,
  ) {}

  /**
   * Prepares for the change at this place of a bulk: what it could depend on is written, and what it and the next ones
   * ask for is looked up.
   */
  *prepare(context: WriteContext, changes: readonly object[], at: number): Work<void> {
    const change = changes[at] as Change;
    const [first] = this.inserts;
    const isAlike = change.op === 'create' && first?.step.type.resource.type === change.type;
    if (first && !isAlike) yield* this.write();
    if (change.op !== 'create') this.free.clear();
    else if (at >= this.ahead) {
      const next = changes.slice(at, at + TOGETHER) as readonly Change[];
      const other = next.findIndex(({ op, type }) => op !== 'create' || type !== change.type);
      const alike = other === -1 ? next : next.slice(0, other);
      this.ahead = at + alike.length;
      yield* this.lookAhead(alike.map((one) => ({ context, change: one })));
      // Now, so that the look-ups do not wait for it, and the next plans are made meanwhile.
      yield* this.write();
    }
  }

  take(context: WriteContext, step: InsertStep): boolean {
    const { type, id, after } = step;
    if (step.claim || !isApart(type.resource)) return false;
    this.inserts.push({ context, step });
    for (const name of namesOf(type.resource, { ...after, id })) {
      this.free.delete(name);
      this.waiting.add(name);
    }
    return true;
  }

  *isFree(resource: Resource, rule: Unique, key: SqlValue): Work<boolean> {
    const name = nameOf(resource, rule, key);
    if (this.waiting.has(name)) yield* this.write();
    return this.free.has(name);
  }

  *write(): Work<void> {
    const inserts = this.inserts;
    const [first] = inserts;
    if (!first) return;
    this.inserts = [];
    this.waiting.clear();
    const ids = this.reserved.get(first.step.type.resource.table) ?? [];
    yield* this.writeAll(inserts, ids.length < inserts.length ? [] : ids.splice(0, inserts.length));
  }

  /** Leaves the IDs of what was refused to others. */
  end({ spareRows }: WriteContext): void {
    for (const [table, ids] of this.reserved) spareRows.put(table, ids.splice(0));
  }

  /** Looks up what new objects of one type ask for. */
  *lookAhead(
    changes: readonly { readonly context: WriteContext; readonly change: Change }[],
  ): Work<void> {
    this.free.clear();
    const [first] = changes;
    if (!first) return;
    const known = first.context.model.type(first.change.type);
    const { resource, asking } = known;
    if (!isApart(resource)) return;
    const creating = changes.flatMap(({ context, change }): Creating | [] =>
      change.op === 'create' && isObject(change.body) ? { context, body: change.body } : [],
    );
    const bodies = creating.map(({ body }) => body);
    yield* sideBySide(
      [
        lookUpReferences(asking, creating),
        ...lookAheadRules(first.context, resource, bodies),
        ...lookAheadKept(first.context, known, bodies),
        this.reserve(first.context, resource, changes.length),
        ...rulesOf(resource).map((rule) => this.lookUpKeys(first.context, resource, rule, bodies)),
      ],
      () => false,
    );
  }

  private *reserve(
    { model, spareRows }: WriteContext,
    { table }: Resource,
    count: number,
  ): Work<void> {
    const { reserveRows } = model.database.dialect;
    if (!reserveRows) return;
    const reserved = this.reserved.get(table) ?? [];
    this.reserved.set(table, reserved);
    const wanted = this.inserts.length + count;
    reserved.push(...spareRows.take(table, wanted - reserved.length));
    const missing = wanted - reserved.length;
    if (missing <= 0) return;
    const ids = (yield* ask(reserveRows(table, missing + SPARE))).map(([id]) => Number(id));
    reserved.push(...ids.splice(0, missing));
    spareRows.put(table, ids);
  }

  private *lookUpKeys(
    { model }: WriteContext,
    resource: Resource,
    rule: Unique,
    bodies: readonly Body[],
  ): Work<void> {
    const keys = bodies.flatMap((body) => keyOf(resource, rule, body) ?? []);
    if (keys.length === 0) return;
    const { dialect } = model.database;
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

/** What the rules will ask for of new objects is looked up by these works. */
const lookAheadRules = (
  { model, references }: WriteContext,
  { rules }: Resource,
  objects: readonly Body[],
): Work<void>[] => {
  const context = { dialect: model.database.dialect, names: model.names, references };
  return rules.flatMap(({ lookAhead }) => lookAhead?.(objects, context) ?? []);
};

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
  for (const { name, to, columns } of resource.fields.values()) {
    const target = to === null || columns.length === 0 ? undefined : model.find(to)?.resource;
    if (!target) continue;
    const ids = new Set(objects.map((object) => (object[name] ?? null) as SqlValue));
    const open = [...ids].filter(
      (id) => id !== null && references.row(target.type, id) === undefined,
    );
    if (open.length === 0) continue;
    const list = dialect.jsonItems(sql`${JSON.stringify(open)}`);
    const rows = yield* ask(
      sql`select document_id, id from ${raw(target.table)}
        where document_id ${dialect.among(sql`select j.value from ${list}`)}`,
    );
    for (const [id = null, row = null] of rows) references.putRow(target.type, id, row);
  }
  return (type, id) => references.row(type, id) ?? null;
}
