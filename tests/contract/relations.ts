import { ROLES, type Role } from '#app/core/caller';
import { databaseOf, registryOf } from '#app/plugins/objects/server';
import type * as SqlModule from '#app/plugins/objects/server/database/sql';
import type { Resource } from '#app/plugins/objects/server/define/completed';
import type * as SelectModule from '#app/plugins/objects/server/read/select';
import { CALLER, type TypeAccess } from '#app/plugins/objects/server/rights/access';
import type { Row, Work } from '#app/plugins/objects/server/database/work';
import { join } from 'node:path';
import type { World } from '../helpers/world';

/** Whoever asks: by a role, with an account or without. */
interface Asker {
  readonly role: Role;
  readonly id: string;
}

/** The IDs of the objects to which somebody has a relation, and of those to which it has none. */
interface Sides {
  readonly had: ReadonlySet<string>;
  readonly missed: ReadonlySet<string>;
}

/**
 * A relation has two uses: a fact that comes with one object, read or loaded, and a condition over many. Both say the
 * same of every relation of every type that there is, over all objects, for everybody who has an account.
 */
export function describeRelations(world: () => World): void {
  const model = () => registryOf(world().service.strapi).model();
  const database = () => databaseOf(world().service.strapi);

  /** Of the app that runs, which may be a copy: SQL of one is a stranger to the other. */
  async function ownModules() {
    const folder = join(world().service.strapi.dirs.dist.src, 'plugins', 'objects', 'server');
    const [{ bind, raw, sql }, { compileLoad, compileSelect }] = await Promise.all([
      import(join(folder, 'database', 'sql.js')) as Promise<typeof SqlModule>,
      import(join(folder, 'read', 'select.js')) as Promise<typeof SelectModule>,
    ]);
    return { bind, raw, sql, compileLoad, compileSelect };
  }

  async function allIds({ table }: Resource): Promise<string[]> {
    const { raw, sql } = await ownModules();
    const rows = await database().read(
      sql`select document_id from ${raw(table)} order by document_id`,
    );
    return rows.map(([id]) => String(id));
  }

  async function askers(): Promise<Asker[]> {
    const user = model().type('user').resource;
    const people = await allIds(user);
    const loggedIn = ROLES.filter((role) => role !== 'anonymous');
    return [
      { role: 'anonymous', id: '' },
      ...loggedIn.flatMap((role) => ['', ...people].map((id): Asker => ({ role, id }))),
    ];
  }

  /** By conditions: the objects of a list. */
  async function listed(resource: Resource, access: TypeAccess, name: string, { id }: Asker) {
    const { bind, raw, sql } = await ownModules();
    const query = sql`select x.document_id from ${raw(resource.table)} x
      where ${access.condition([name], 'x')}`;
    const rows = await database().read(bind(query, { [CALLER]: id }));
    return rows.map(([found]) => String(found)).sort();
  }

  /** By facts: each object, read by itself. */
  async function told(
    compiled: SelectModule.ObjectSelect,
    ids: readonly string[],
    asker: Asker,
  ): Promise<Map<string, string[]>> {
    const { bind } = await ownModules();
    const had = new Map<string, string[]>();
    for (const id of ids) {
      const [row] = await database().write(function* (): Work<readonly Row[]> {
        return yield bind(compiled.sql, { id, [CALLER]: asker.id });
      });
      for (const name of row ? compiled.read(row).facts.relations : [])
        had.set(name, [...(had.get(name) ?? []), id]);
    }
    return had;
  }

  test('facts of one object and conditions over many say the same of every relation', async () => {
    const { compileLoad, compileSelect } = await ownModules();
    const { resources, database: ours } = model();
    const columns = { resources, dialect: ours.dialect, readable: null };
    const everybody = await askers();
    const sides = new Map<string, Sides>();
    for (const resource of resources.values()) {
      const names = [...resource.relations.keys()];
      const ids = await allIds(resource);
      for (const asker of everybody) {
        const { access } = model().type(resource.type).for(asker);
        // Every relation, whether or not a row asks for it.
        const whole: TypeAccess = { ...access, extent: () => names };
        const read = await told(compileSelect(resource, whole, ['all'], columns), ids, asker);
        const loaded = await told(compileLoad(resource, whole, ['all'], columns), ids, asker);
        for (const name of names) {
          const found = await listed(resource, access, name, asker);
          const who = [resource.type, name, asker];
          expect([...who, read.get(name) ?? []]).toEqual([...who, found]);
          expect([...who, loaded.get(name) ?? []]).toEqual([...who, found]);
          sides.set(
            `${resource.type}.${name}`,
            joined(sides.get(`${resource.type}.${name}`), ids, found),
          );
        }
      }
    }
    const oneSided = [...sides].filter(([, { had, missed }]) => !had.size || !missed.size);
    expect(oneSided.map(([name]) => name)).toEqual([]);
    expect(sides.size).toBeGreaterThan(0);
  });
}

const joined = (
  before: Sides | undefined,
  ids: readonly string[],
  found: readonly string[],
): Sides => ({
  had: new Set([...(before?.had ?? []), ...found]),
  missed: new Set([...(before?.missed ?? []), ...ids.filter((id) => !found.includes(id))]),
});
