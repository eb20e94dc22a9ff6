/** Everything that is compiled at the start, or at its first use, and passed on to reader and writer. */
import type { Caller, Role } from '../../../core/caller';
import type { Database } from './database/database';
import { raw, slot, sql, type Sql } from './database/sql';
import type { Field, Referrer, Resource, Resources } from './define/completed';
import { definitionOf } from './kinds';
import type { Columns } from './read/columns';
import {
  compileLoad,
  compileSelect,
  compileSummaries,
  type ObjectSelect,
  type SummarySelect,
} from './read/select';
import { compileAccess, type TypeAccess } from './rights/access';
import { switchesOn, switchKey } from './rights/switches';
import type { SiteSettings } from './site';
import { createValidator, type Validator } from './validate/validator';
import { compileWrites, type WriteStatements } from './write/statements';

export interface TypeModel {
  readonly resource: Resource;
  /** The compiled statements for callers of this role with the present switches of the site. */
  for(caller: Pick<Caller, 'role'>): CallerModel;
  /** The actions that `permissions` of an object may list. */
  readonly actions: readonly string[];
  readonly writes: WriteStatements;
  readonly validator: Validator;
  /** The fields whose check needs the database or the site settings. */
  readonly asking: readonly Field[];
  /** The fields, of this type and others, that refer to this type. */
  readonly referrers: readonly Referrer[];
  /** The fields that refer to types whose deleted objects have to be forgotten. */
  readonly mentioning: ReadonlySet<string>;
}

/** A type for callers of one role. */
export interface CallerModel {
  readonly access: TypeAccess;
  readonly select: ObjectSelect;
  readonly load: ObjectSelect;
  readonly summaries: SummarySelect;
  /** Selects the IDs of a list whose objects exist and may be read by the caller. Slots: `ids` and the caller's. */
  readonly readableIds: Sql;
}

export interface Model {
  readonly resources: Resources;
  readonly database: Database;
  /** The present site settings. */
  readonly site: () => SiteSettings;
  /** A type by its path, which is known to exist because it comes from a route. */
  type(path: string): TypeModel;
  find(path: string): TypeModel | undefined;
}

/** Actions that `permissions` does not list: the object has been read, or does not exist yet. */
const NOT_TOLD: ReadonlySet<string> = new Set(['create', 'read', 'history']);

/** The actions that `permissions` of an object may list. */
export const toldActions = ({ rights }: Resource): string[] =>
  [...rights.keys()].filter((action) => !NOT_TOLD.has(action));

/** Compiles the checks and the SQL of all types. */
export function createModel(
  resources: Resources,
  database: Database,
  site: () => SiteSettings,
): Model {
  const referrers = [...resources.values()].flatMap((resource) =>
    [...resource.fields.values()]
      .filter(({ to, columns, link }) => to !== null && (columns.length > 0 || link !== null))
      .map((field): Referrer => ({ resource, field })),
  );
  const types = new Map<string, TypeModel>();
  const callerModels = new CallerModels(resources, database, site);
  for (const [path, resource] of resources) {
    const actions = toldActions(resource);
    types.set(path, {
      resource,
      actions,
      for: ({ role }) => callerModels.get(path, actions, role),
      writes: compileWrites(resource, resources),
      validator: createValidator(resource),
      asking: [...resource.fields.values()].filter(({ kind }) => definitionOf(kind).asks),
      referrers: referrers.filter(({ field }) => field.to === path),
      mentioning: new Set(
        referrers
          .filter(({ field: { to } }) => to !== null && resources.get(to)?.forgotten === true)
          .filter((referrer) => referrer.resource === resource)
          .map(({ field }) => field.name),
      ),
    });
  }
  return {
    resources,
    database,
    site,
    find: (path) => types.get(path),
    type(path) {
      const found = types.get(path);
      if (!found) throw new RangeError(`no type "${path}"`);
      return found;
    },
  };
}

type ByRole = Map<Role, CallerModel>;

/** The compiled statements, by switches, type and role. */
class CallerModels {
  private readonly compiled = new Map<string, Map<string, ByRole>>();
  private settings: SiteSettings | null = null;
  private current = new Map<string, ByRole>();

  constructor(
    private readonly resources: Resources,
    private readonly database: Database,
    private readonly site: () => SiteSettings,
  ) {}

  get(type: string, actions: readonly string[], role: Role): CallerModel {
    const settings = this.site();
    if (settings !== this.settings) this.turnTo(settings);
    let byRole = this.current.get(type);
    if (!byRole) this.current.set(type, (byRole = new Map<Role, CallerModel>()));
    let found = byRole.get(role);
    if (!found) byRole.set(role, (found = this.compile(type, actions, role, settings)));
    return found;
  }

  private turnTo(settings: SiteSettings): void {
    this.settings = settings;
    const key = switchKey(settings);
    this.current = this.compiled.get(key) ?? new Map<string, ByRole>();
    this.compiled.set(key, this.current);
  }

  private compile(
    type: string,
    actions: readonly string[],
    role: Role,
    settings: SiteSettings,
  ): CallerModel {
    const { resources, database } = this;
    const { dialect } = database;
    const on = switchesOn(settings);
    const accesses = new Map<string, TypeAccess>();
    const accessTo = (path: string): TypeAccess | undefined => accesses.get(path);
    for (const [path, resource] of resources)
      accesses.set(path, compileAccess(resource, role, on, { resources, access: accessTo }));
    const resource = resources.get(type);
    const access = accessTo(type);
    if (!resource || !access) throw new RangeError(`no type "${type}"`);
    const columns: Columns = {
      resources,
      dialect,
      readable: (path, alias) => {
        const theirs = accessTo(path);
        return theirs ? theirs.condition(theirs.extent('read'), alias) : raw('1 = 0');
      },
    };
    const all = ['read', ...actions];
    return {
      access,
      select: compileSelect(resource, access, all, columns),
      load: compileLoad(resource, access, all, { ...columns, readable: null }),
      summaries: compileSummaries(resource, access, columns),
      readableIds: sql`select o.document_id from ${raw(resource.table)} o
        where o.document_id in (select j.value from ${dialect.jsonItems(sql`${slot('ids')}`)})
        and ${access.condition(access.extent('read'), 'o')}${dialect.forKeyShare}`,
    };
  }
}
