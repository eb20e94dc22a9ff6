/** From a body to the object as it would be: with its defaults, and checked against everything. */
import { malformed, WireError, type Issue } from '../../../wire/server/errors';
import type { Work } from '../database/work';
import type { Field } from '../define/resource';
import type { TypeModel } from '../model';
import type { Body } from '../types';
import type { Checked } from '../validate/validator';
import { checkReferences, checkSite, findClashes, type Clash } from './checks';
import type { WriteContext } from './context';
import type { RuleContext } from './rules';
import { checkTrees, upwards } from './tree';

/** The object as it would be, checked against everything. @throws WireError with all that is wrong */
export function* prepare(
  context: WriteContext,
  known: TypeModel,
  before: Body | null,
  checked: Checked,
  id: string,
): Work<Body> {
  const { caller, site } = context;
  const { resource } = known;
  const faulty = new Set(checked.issues.map(({ path }) => path.split('.')[0]));
  const rules: RuleContext = {
    caller,
    site,
    before,
    beforehand: context.beforehand,
    upwards: (type, from, along, column) => upwards(context, type, from, along, column),
  };
  const object = yield* filled(known, before, checked, faulty, rules);
  const touched = known.asking.filter(
    (field) => !field.derived && (before === null || field.name in checked.values),
  );
  const sound = touched.filter((field) => !faulty.has(field.name));

  const missing = yield* checkReferences(context, sound, object);
  const found: Issue[] = [...checked.issues, ...missing];
  found.push(...checkSite(site, resource.type, sound, object));
  if (missing.length === 0)
    found.push(...(yield* checkTrees(context, resource.type, id, sound, object)));
  for (const rule of resource.rules) {
    const issues = yield* rule(object, rules);
    found.push(...issues.filter(({ path }) => !faulty.has(path.split('.')[0])));
  }
  const wanted = { ...object, id: checked.values['id'] ?? null };
  // What others have and nobody may ask for is told only where it alone is in the way.
  const unique =
    found.length > 0 ? resource.unique.filter(({ discreet }) => !discreet) : resource.unique;
  const clashes = yield* findClashes(context, resource, unique, before, wanted);
  refuse(known, found, clashes);
  return object;
}

/** What is stored with the change in it, absent and cleared fields having their defaults. */
function* filled(
  { resource }: TypeModel,
  before: Body | null,
  { values }: Checked,
  faulty: ReadonlySet<string | undefined>,
  rules: RuleContext,
): Work<Body> {
  const object: Record<string, unknown> = { ...before };
  const open: Field[] = [];
  for (const field of resource.fields.values()) {
    const isGiven = !field.derived && field.name in values && !faulty.has(field.name);
    if (before !== null && !isGiven) continue;
    if (field.input) continue;
    const value = isGiven ? kept(field, values[field.name], rules) : null;
    object[field.name] = value ?? field.default;
    if (value === null && field.fill) open.push(field);
  }
  for (const field of open) if (field.fill) object[field.name] = yield* field.fill(object, rules);
  for (const { name, derive } of resource.fields.values()) {
    if (derive) object[name] = derive(object, rules);
  }
  return object;
}

/** What is stored of a value: of a secret, what was made of it beforehand. */
function kept(field: Field, value: unknown, { beforehand }: RuleContext): unknown {
  if (field.kind !== 'secret' || value === null) return value;
  const made = beforehand.secrets?.[field.name];
  if (made === undefined) throw new Error(`${field.name} would be stored as it came`);
  return made;
}

function refuse(
  { resource }: TypeModel,
  issues: readonly Issue[],
  clashes: readonly Clash[],
): void {
  const all = [...issues, ...clashes.map((clash) => clash.issue)];
  const [clash] = clashes;
  if (clash?.issue.key === 'TAKEN' && issues.length === 0) {
    const id = clash.id === null ? {} : { id: clash.id };
    const args = { type: resource.type, path: clash.issue.path, ...id };
    throw new WireError('ENTITY_EXISTS', args, all);
  }
  if (all.length > 0) throw malformed(all);
}
