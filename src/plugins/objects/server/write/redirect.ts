/** References to objects that were merged into others: they are taken as references to those (contract, section 8). */
import { notice, type Notice } from '../../../../core/notices';
import { raw, sql } from '../database/sql';
import { ask, type Work } from '../database/work';
import type { Field, Resource } from '../declare/completed';
import { definitionOf, referredIds } from '../kinds';
import { isPlainObject } from '../kinds/normalize';
import type { TypeModel } from '../read/model';
import type { Body } from '../declare/objects';
import type { Checked } from '../validate/validator';
import { missingMentions, type Mention } from './checks';
import type { WriteContext } from './context';

export interface Redirected {
  readonly checked: Checked;
  readonly notices: readonly Notice[];
}

/**
 * The values of a body in which each reference to a merged object is one to its target. Looks for them only where what a
 * body refers to is not found otherwise.
 */
export function* redirectMerged(
  context: WriteContext,
  { asking }: TypeModel,
  checked: Checked,
  before: Body | null,
): Work<Redirected> {
  const faulty = new Set(checked.issues.map(({ path }) => path.split('.')[0] ?? ''));
  const { model } = context;
  const values: Record<string, unknown> = {};
  const notices: Notice[] = [];
  for (const field of asking) {
    const { name, derived, to } = field;
    const target = to === null ? undefined : model.find(to)?.resource;
    const given = checked.values[name] ?? null;
    if (!target?.mergedInto || derived || faulty.has(name) || given === null) continue;
    const missing = yield* missingMentions(context, [field], before, () => given);
    const targets = yield* targetsOf(context, target, missing);
    if (targets.size === 0) continue;
    values[name] = withTargets(field, given, targets);
    for (const { id, path } of referredIds(field, given)) {
      const into = targets.get(id);
      if (into !== undefined) notices.push(notice('TAKEN_AS_MERGED', { path, into }));
    }
  }
  return notices.length === 0
    ? { checked, notices }
    : { checked: { ...checked, values: { ...checked.values, ...values } }, notices };
}

function* targetsOf(
  { model }: WriteContext,
  { table, mergedInto }: Resource,
  missing: readonly Mention[],
): Work<ReadonlyMap<string, string>> {
  if (missing.length === 0 || !mergedInto) return new Map();
  const { dialect } = model.database;
  const ids = dialect.jsonItems(sql`${JSON.stringify(missing.map(({ id }) => id))}`);
  const rows = yield* ask(
    sql`select m.document_id, o.document_id from ${raw(table)} m
      join ${raw(table)} o on o.id = ${raw(`m.${mergedInto.columns[0]}`)}
      where m.document_id ${dialect.among(sql`select j.value from ${ids}`)}`,
  );
  return new Map(rows.map(([id, into]) => [String(id), String(into)]));
}

/** What is in a list twice then is there once. */
function withTargets(
  { kind }: Field,
  value: unknown,
  targets: ReadonlyMap<string, string>,
): unknown {
  const { referredAt = '' } = definitionOf(kind);
  const targetOf = (id: unknown): unknown => targets.get(String(id)) ?? id;
  if (!Array.isArray(value)) return targetOf(value);
  const items = value.map((item: unknown) =>
    isPlainObject(item) ? { ...item, [referredAt]: targetOf(item[referredAt]) } : targetOf(item),
  );
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}
