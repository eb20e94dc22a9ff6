import { changeSettings } from '#app/api/site-settings/setup';
import { local, ROLES, type Caller, type Role } from '#app/core/caller';
import { databaseOf, registryOf } from '#app/plugins/objects/server';
import type * as SqlModule from '#app/plugins/objects/server/database/sql';
import type { Resource } from '#app/plugins/objects/server/declare/completed';
import type * as SelectModule from '#app/plugins/objects/server/read/select';
import type { TypeAccess } from '#app/plugins/objects/server/rights/access';
import { callerArgs } from '#app/plugins/objects/server/rights/caller-args';
import type { Row, Work } from '#app/plugins/objects/server/database/work';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { at, parsed } from '../helpers/json';
import { bearer, login, makePerson } from '../helpers/people';
import { settle } from '../helpers/settle';
import { photograph, uploadRequest } from '../helpers/upload';
import type { World } from '../helpers/world';

type Account = Pick<Caller, 'id' | 'rowId'>;

/** Whoever asks: by a role, with an account or without, with a claim or without. */
const asker = (role: Role, account: Account | null, claims: readonly string[]): Caller => ({
  ...local({
    role,
    id: null,
    rowId: null,
    ...account,
    session: null,
    actor: { kind: 'user', name: null },
  }),
  claims,
});

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

  afterAll(async () => {
    await changeSettings(world().service.strapi, { tell_hidden: 'at_once' });
    await settle(world().service);
  });

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

  async function askers(): Promise<Caller[]> {
    const { raw, sql } = await ownModules();
    const { table } = model().type('user').resource;
    const rows = await database().read(sql`select document_id, id from ${raw(table)}`);
    const people = rows.map(([id, rowId]): Account => ({ id: String(id), rowId: Number(rowId) }));
    const loggedIn = ROLES.filter((role) => role !== 'anonymous');
    const claims = await world().service.strapi.db.connection('oms_claims').pluck<string[]>('hash');
    return [
      asker('anonymous', null, []),
      asker('anonymous', null, claims),
      ...loggedIn.flatMap((role) => [null, ...people].map((account) => asker(role, account, []))),
    ];
  }

  /** By conditions: the objects of a list. */
  async function listed(resource: Resource, access: TypeAccess, name: string, who: Caller) {
    const { bind, raw, sql } = await ownModules();
    const query = sql`select x.document_id from ${raw(resource.table)} x
      where ${access.condition([name], 'x')}`;
    const rows = await database().read(bind(query, callerArgs(who, Date.now())));
    return rows.map(([found]) => String(found)).sort();
  }

  /** By facts: each object, read by itself. */
  async function told(
    compiled: SelectModule.ObjectSelect,
    ids: readonly string[],
    who: Caller,
  ): Promise<Map<string, string[]>> {
    const { bind } = await ownModules();
    const had = new Map<string, string[]>();
    for (const id of ids) {
      const [row] = await database().write(function* (): Work<readonly Row[]> {
        const statement = bind(compiled.sql, { id, ...callerArgs(who, Date.now()) });
        return (yield statement) as readonly Row[];
      });
      for (const name of row ? compiled.read(row).facts.relations : [])
        had.set(name, [...(had.get(name) ?? []), id]);
    }
    return had;
  }

  beforeAll(async () => {
    const person = await makePerson(world().service);
    const headers = bearer(await login(world(), person));
    const upload = async (): Promise<string> => {
      const { text } = await world().send(uploadRequest({ bytes: await photograph() }, headers));
      return String(at(parsed(text), 'response', 'id'));
    };
    const [face, shown, claimed] = [await upload(), await upload(), await upload()];
    const [logo, banner] = [await upload(), await upload()];
    await changeSettings(world().service.strapi, {
      logo_id: `/api/v0/asset/${logo}/file`,
      media: { banner: `/api/v0/asset/${banner}/file` },
      tell_hidden: 'monthly',
    });
    const body = { photo_id: `/api/v0/asset/${face}/file` };
    await world().send({ method: 'PUT', url: `/api/v0/user/${person.id}`, headers, body });
    await world().create('encounter', { assets: [shown] });
    await makeOrgs();
    await makeCollaborations(person.id);
    const photo_id = `/api/v0/asset/${await upload()}/file`;
    await world().create('individual', { photo_id });
    await world().create('individual', { owner: person.id });
    const report = await world().create('encounter');
    const knex = world().service.strapi.db.connection;
    await knex('encounters')
      .where({ document_id: report })
      .update({ state: 'pending', owner_id: null });
    const refused = await world().create('encounter', { owner: person.id });
    await knex('encounters').where({ document_id: refused }).update({ state: 'rejected' });
    await knex('oms_claims').insert([
      { hash: 'a'.repeat(64), object: claimed },
      { hash: 'b'.repeat(64), object: report, adopt_until: Date.now() + 600_000 },
    ]);
    const secret = await world().create('encounter', { location_privacy: 'private' });
    await knex('encounters').where({ document_id: secret }).update({ owner_id: null });
    await knex('oms_claims').insert({
      ...{ hash: 'c'.repeat(64), object: secret, ends_at: 0 },
      reads_until: Date.now() + 600_000,
    });
  });

  /** An org with a role for each of its people, and another one; an encounter that names one. */
  async function makeOrgs(): Promise<void> {
    const people = await Promise.all([1, 2, 3, 4].map(() => makePerson(world().service)));
    const [owner, manager, member, asking] = await Promise.all(
      people.map(async (person) => bearer(await login(world(), person))),
    );
    const call = async (who: typeof owner, path: string, body: object): Promise<string> => {
      const url = `/api/v0/${path}`;
      const { text } = await world().send({ method: 'POST', url, headers: who ?? {}, body });
      return String(at(parsed(text), 'response', 'id'));
    };
    const org = await call(owner, 'org', { name: 'Ours' });
    await call(manager, 'org', { name: 'Theirs' });
    for (const who of [manager, member, asking]) await call(who, `org/${org}/join`, {});
    const assign = (at: number, role: string) =>
      call(owner, `org/${org}/member`, { user: people[at]?.id, role });
    await assign(1, 'manager');
    await assign(2, 'member');
    await call(member, 'encounter', { organizations: [org] });
    await call(member, 'individual', { organizations: [org] });
    const taxon = { scientific_name: 'Diceros', location_privacy: 'obscured' };
    const taxonomy = await world().create('taxonomy', taxon);
    const individual = await world().create('individual', { taxonomy });
    await call(member, 'encounter', { individual });
  }

  /** Collaborations of both levels with somebody who owns something, asked for by either side, and one that is not decided. */
  async function makeCollaborations(owner: string): Promise<void> {
    const knex = world().service.strapi.db.connection;
    const others = await Promise.all([1, 2, 3].map(() => makePerson(world().service)));
    const ids = await knex('up_users').whereIn('document_id', [
      owner,
      ...others.map(({ id }) => id),
    ]);
    const row = (id: string | undefined): unknown =>
      (ids as { id: number; document_id: string }[]).find((user) => user.document_id === id)?.id;
    const common = { version: 1, created_at: new Date(), updated_at: new Date() };
    const accepted = { ...common, state: 'accepted' };
    const [viewer, editor, asking] = others.map(({ id }) => row(id));
    const us = row(owner);
    await knex('collaborations').insert([
      { ...accepted, document_id: randomUUID(), from_id: us, to_id: viewer, level: 'view' },
      { ...accepted, document_id: randomUUID(), from_id: editor, to_id: us, level: 'edit' },
      {
        ...common,
        document_id: randomUUID(),
        from_id: asking,
        to_id: us,
        level: 'edit',
        state: 'pending',
      },
      {
        ...common,
        document_id: randomUUID(),
        from_id: asking,
        to_id: us,
        level: 'edit',
        state: 'ended',
      },
    ]);
    await world().create('encounter', { owner });
  }

  test('facts of one object and conditions over many say the same of every relation', async () => {
    const { compileLoad, compileSelect } = await ownModules();
    const { resources, database: ours } = model();
    const everybody = await askers();
    const sides = new Map<string, Sides>();
    for (const resource of resources.values()) {
      const names = [...resource.relations.keys()];
      const ids = await allIds(resource);
      for (const asker of everybody) {
        const { role } = asker;
        const columns = {
          role,
          resources,
          dialect: ours.dialect,
          access: null,
          site: model().site(),
        };
        const { access } = model().type(resource.type).for(asker);
        // Every relation, whether or not a row asks for it.
        const whole: TypeAccess = { ...access, extent: () => names };
        const read = await told(compileSelect(resource, whole, ['all'], columns), ids, asker);
        const loaded = await told(
          compileLoad(resource, whole, ['all'], columns, { isLocked: false }),
          ids,
          asker,
        );
        for (const name of names) {
          const found = await listed(resource, access, name, asker);
          const who = [resource.type, name, asker.role, asker.id, asker.claims];
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
