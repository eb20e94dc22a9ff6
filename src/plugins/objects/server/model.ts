/** Everything that is compiled at the start, and passed on to reader and writer. */
import type { Database } from './database/database';
import type { Field, Referrer, Resource, Resources } from './define/resource';
import type { Caller } from '../../accounts/server/caller';
import { compileLoad, compileSelect, type ObjectSelect } from './read/select';
import { isReadable } from './read/visible';
import type { SiteSettings } from './site';
import { createValidator, type Validator } from './validate/validator';
import { compileWrites, type WriteStatements } from './write/statements';

export interface TypeModel {
  readonly resource: Resource;
  /** The select by which this caller reads the type. */
  selectFor(caller: Caller): ObjectSelect;
  /** The select by which the writer gets an object. One parameter, the ID. */
  readonly load: string;
  readonly writes: WriteStatements;
  readonly validator: Validator;
  /** The fields whose check asks the database or the settings of the instance. */
  readonly asking: readonly Field[];
  /** The fields of other types, and its own, that refer to this type. */
  readonly referrers: readonly Referrer[];
}

export interface Model {
  readonly resources: Resources;
  readonly database: Database;
  /** The settings of the instance, as they are now. */
  readonly site: () => SiteSettings;
  /** A type that is known to exist: paths come from the routes. */
  type(path: string): TypeModel;
  find(path: string): TypeModel | undefined;
}

const asks = ({ kind, to }: Field): boolean =>
  to !== null || kind === 'region' || kind === 'customFields';

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
  for (const [path, resource] of resources) {
    types.set(path, {
      resource,
      selectFor: selects(resource, resources, database, site),
      load: compileLoad(resource, resources, database.dialect),
      writes: compileWrites(resource, resources),
      validator: createValidator(resource),
      asking: [...resource.fields.values()].filter(asks),
      referrers: referrers.filter(({ field }) => field.to === path),
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

/** The selects of a type, one per kind of reader where it lists what not everybody may read: compiled when first asked for. */
function selects(
  resource: Resource,
  resources: Resources,
  { dialect }: Database,
  site: () => SiteSettings,
): TypeModel['selectFor'] {
  const compiled = new Map<string, ObjectSelect>();
  const listsOthers = [...resource.fields.values()].some((field) => field.inverse !== null);
  return ({ role }) => {
    const access = site();
    const key = listsOthers ? `${role} ${access.readers}` : '';
    let select = compiled.get(key);
    if (!select) {
      select = compileSelect(resource, resources, dialect, (other, alias) =>
        isReadable(other, role, access, alias, resources),
      );
      compiled.set(key, select);
    }
    return select;
  };
}
