/** Everything that is compiled at the start, or when it is first asked for, and passed on to reader and writer. */
import type { Caller } from '../../../../core/caller';
import type { Clock } from '../../../../core/clock';
import type { Database, Dialect } from '../database/database';
import { join, raw, slot, sql, type Sql } from '../database/sql';
import type { Field, Referrer, Resource, Resources } from '../declare/completed';
import type { Kept, StoredNames } from '../declare/behavior';
import { isCurrent, storedNames } from '../declare/references';
import { definitionOf } from '../kinds';
import type { Columns } from './columns';
import { permittedBy, type Facts, type Permitted } from './facts';
import {
  compileFacts,
  compileLoad,
  compileLock,
  compileSelectMany,
  compileSummaries,
  type FactSelect,
  type ManySelect,
  type ObjectSelect,
  type SummarySelect,
} from './select';
import { PERMISSIONS } from './facts';
import { compileRead } from './select-kept';
import { compileAccess, type TypeAccess } from '../rights/access';
import { kindOf, type CallerKind } from '../rights/caller-args';
import { switchesOn, switchKey } from '../site/switches';
import { privacyKey, type SiteSettings } from '../site/settings';
import { createValidator, type Validator } from '../validate/validator';
import { compileWrites, type WriteStatements } from '../define/write-statements';

/** What a read has beside the fields of its type. */
const ADDED: ReadonlySet<string> = new Set([PERMISSIONS]);

export type SettledField = Field & { readonly settle: NonNullable<Field['settle']> };

export interface TypeModel {
  readonly resource: Resource;
  /** What is compiled for callers of this role, while the site is as it is now. */
  for(caller: Pick<Caller, 'role' | 'claims'>): CallerModel;
  /** The actions on an object that `permissions` lists. */
  readonly actions: readonly string[];
  readonly writes: WriteStatements;
  readonly validator: Validator;
  /** The fields whose check needs the database or the site settings. */
  readonly asking: readonly Field[];
  /** The fields that are computed from what the rules of a change have looked up. */
  readonly settling: readonly SettledField[];
  /** The fields, of this type and others, that refer to this type. */
  readonly referrers: readonly Referrer[];
  /** What is kept, with this type or another, and depends on objects of this one. */
  readonly kept: readonly Kept[];
  /** The fields that refer to types whose deleted objects have to be forgotten. */
  readonly mentioning: ReadonlySet<string>;
}

/** A type for callers of one role. */
export interface CallerModel {
  readonly access: TypeAccess;
  /** What the same callers may do with another type. */
  readonly accessTo: (type: string) => TypeAccess | undefined;
  /** The fields that these callers cannot write in every object. */
  readonly restricted: readonly Field[];
  readonly select: ObjectSelect;
  readonly permitted: (facts: Facts) => Permitted;
  /** As `select`, of several objects. Slots: `ids`, a JSON list, and the caller's. */
  readonly selectMany: ManySelect;
  /** As `selectMany`, of some of the fields, and without what the caller may do with the objects. */
  selectSome(fields: readonly string[]): ManySelect;
  readonly load: ObjectSelect;
  /**
   * Locks the object before it is loaded: a statement that waits for a lock sees other tables as they were before. Null
   * where nothing of the object is in another table, and where only one transaction runs at a time.
   */
  readonly lock: Sql | null;
  /** As `load`, for who only looks, at some of the fields. */
  inspect(fields: readonly string[]): ObjectSelect;
  /** The summaries of objects of these types, which exist. */
  summaries(types: readonly string[]): SummarySelect;
  /** What the caller is to an object: for its history, and for what it sees of it. */
  readonly standing: FactSelect;
  /**
   * The IDs, of a list, and rows of objects that exist and were not merged into others, that the caller may read, and to which it
   * has a right. Slots: `ids`, and those of the caller.
   */
  idsWith(right: string): Sql;
}

export interface Model {
  readonly resources: Resources;
  readonly names: StoredNames;
  readonly database: Database;
  /** The present site settings. */
  readonly site: () => SiteSettings;
  readonly clock: Clock;
  /** A type by its path, which is known to exist because it comes from a route. */
  type(path: string): TypeModel;
  find(path: string): TypeModel | undefined;
}

/** Actions of which an object does not say whether the caller may carry them out: it has been read, or is not there. */
const NOT_TOLD: ReadonlySet<string> = new Set(['create', 'read', 'history', 'original']);

/** The actions that `permissions` of an object may list. */
export const toldActions = ({ rights }: Resource): string[] =>
  [...rights.keys()].filter((action) => !NOT_TOLD.has(action));

const isSettled = (field: Field): field is SettledField => field.settle !== null;

/** Whether the history has the values of a reference field. */
const isRecorded = ({ columns, link, listed }: Pick<Field, 'columns' | 'link' | 'listed'>) =>
  columns.length > 0 || link !== null || listed?.isOwn === true;

/** Compiles the checks and the SQL of all types. */
export function createModel(
  resources: Resources,
  database: Database,
  site: () => SiteSettings,
  clock: Clock,
): Model {
  const referrers = [...resources.values()].flatMap((resource) =>
    [...resource.fields.values()]
      .filter(({ to, columns, link }) => to !== null && (columns.length > 0 || link !== null))
      .map((field): Referrer => ({ resource, field })),
  );
  const kept = [...resources.values()].flatMap((resource) => resource.kept);
  const types = new Map<string, TypeModel>();
  const callerModels = new CallerModels(resources, database, site);
  for (const [path, resource] of resources) {
    const actions = toldActions(resource);
    types.set(path, {
      resource,
      actions,
      for: (caller) => callerModels.get(path, actions, kindOf(caller)),
      writes: compileWrites(resource, resources),
      validator: createValidator(resource, ADDED),
      asking: [...resource.fields.values()].filter(({ kind }) => definitionOf(kind).asks),
      settling: [...resource.fields.values()].filter(isSettled),
      referrers: referrers.filter(({ field }) => field.to === path),
      kept: kept.filter(({ of }) => of === path),
      mentioning: new Set(
        [...resource.fields.values()]
          .filter(({ to, ...field }) => resources.get(to ?? '')?.forgotten && isRecorded(field))
          .map(({ name }) => name),
      ),
    });
  }
  return {
    resources,
    names: storedNames(resources),
    database,
    site,
    clock,
    find: (path) => types.get(path),
    type(path) {
      const found = types.get(path);
      if (!found) throw new RangeError(`no type "${path}"`);
      return found;
    },
  };
}

/** By role, with a claim or without. */
type ByKind = Map<string, CallerModel>;

/** Combinations of settings whose statements are kept: those of one take up to 1 MB. A change is often taken back. */
const MAX_KEPT = 4;

/** The compiled statements, by what of the settings they depend on, type and role. */
class CallerModels {
  private readonly compiled = new Map<string, Map<string, ByKind>>();
  private settings: SiteSettings | null = null;
  private current = new Map<string, ByKind>();

  constructor(
    private readonly resources: Resources,
    private readonly database: Database,
    private readonly site: () => SiteSettings,
  ) {}

  get(type: string, actions: readonly string[], kind: CallerKind): CallerModel {
    const settings = this.site();
    if (settings !== this.settings) this.turnTo(settings);
    let byKind = this.current.get(type);
    if (!byKind) this.current.set(type, (byKind = new Map<string, CallerModel>()));
    const key = kind.claims ? `${kind.role} with a claim` : kind.role;
    let found = byKind.get(key);
    if (!found) byKind.set(key, (found = this.compile(type, actions, kind, settings)));
    return found;
  }

  private turnTo(settings: SiteSettings): void {
    this.settings = settings;
    const key = `${switchKey(settings)} ${privacyKey(settings)}`;
    this.current = this.compiled.get(key) ?? new Map<string, ByKind>();
    // The first one is the one that was left longest ago.
    this.compiled.delete(key);
    this.compiled.set(key, this.current);
    const [oldest] = this.compiled.keys();
    if (this.compiled.size > MAX_KEPT && oldest !== undefined) this.compiled.delete(oldest);
  }

  private compile(
    type: string,
    actions: readonly string[],
    kind: CallerKind,
    settings: SiteSettings,
  ): CallerModel {
    const { resources, database } = this;
    const { dialect } = database;
    const on = switchesOn(settings);
    const accesses = new Map<string, TypeAccess>();
    const accessTo = (path: string): TypeAccess | undefined => accesses.get(path);
    const neighbors = { resources, dialect, access: accessTo, privacy: settings };
    for (const [path, resource] of resources)
      accesses.set(path, compileAccess(resource, kind, on, neighbors));
    const resource = resources.get(type);
    const access = accessTo(type);
    if (!resource || !access) throw new RangeError(`no type "${type}"`);
    const ofOne = new Map<string, TypeAccess>();
    const forOne = {
      ...neighbors,
      access: (path: string) => ofOne.get(path),
      isOfOne: true,
    } as const;
    for (const [path, other] of resources) ofOne.set(path, compileAccess(other, kind, on, forOne));
    const toOne = ofOne.get(type) ?? access;
    const kept = compileAccess(resource, kind, on, { ...forOne, isKept: true });
    const columns: Columns = {
      role: kind.role,
      resources,
      dialect,
      site: settings,
      access: accessTo,
    };
    const all = ['read', ...actions];
    const told = [...resource.rights.keys()];
    const ids = new Map<string, Sql>();
    const inspected = new Map<string, ObjectSelect>();
    const some = new Map<string, ManySelect>();
    const summaries = new Map<string, SummarySelect>();
    return {
      access,
      accessTo,
      restricted: [...resource.fields.values()].filter((field) => access.written(field) !== 'all'),
      select: compileRead(resource, { now: toOne, kept }, all, columns),
      permitted: permittedBy(access, actions),
      selectMany: compileSelectMany(resource, access, all, columns),
      selectSome(fields) {
        const key = fields.join();
        const known = some.get(key);
        if (known) return known;
        const compiled = compileSelectMany(resource, access, [], columns, new Set(fields));
        some.set(key, compiled);
        return compiled;
      },
      lock: compileLock(resource, dialect),
      load: compileLoad(resource, toOne, all, { ...columns, access: null }),
      inspect(fields) {
        const key = fields.join();
        const known = inspected.get(key);
        if (known) return known;
        const seen = { ...columns, access: null };
        const compiled = compileLoad(resource, toOne, told, seen, { fields, isLocked: false });
        inspected.set(key, compiled);
        return compiled;
      },
      summaries(wanted) {
        const key = wanted.join();
        const known = summaries.get(key);
        if (known) return known;
        const targets = wanted.flatMap((path) => {
          const [target, theirs] = [resources.get(path), accessTo(path)];
          return target && theirs ? [{ resource: target, access: theirs }] : [];
        });
        const compiled = compileSummaries(targets, columns);
        summaries.set(key, compiled);
        return compiled;
      },
      standing: compileFacts(resource, toOne, ['read', 'history']),
      idsWith(right) {
        let statement = ids.get(right);
        if (!statement) ids.set(right, (statement = idsWith(resource, access, right, dialect)));
        return statement;
      },
    };
  }
}

const idsWith = (resource: Resource, access: TypeAccess, right: string, dialect: Dialect): Sql => {
  const rights = [...new Set(['read', right])].map((action) =>
    access.condition(access.extent(action), 'o'),
  );
  const all = join([isCurrent(resource, 'o'), ...rights], ' and ');
  // The objects are found by their IDs: SQLite would take an index of the conditions, which most objects may meet.
  return sql`select o.document_id, o.id from ${raw(resource.table)} o
    where o.document_id ${dialect.among(sql`select j.value from ${dialect.jsonItems(sql`${slot('ids')}`)}`)}
    and (${all}) is true${dialect.forKeyShare}`;
};
