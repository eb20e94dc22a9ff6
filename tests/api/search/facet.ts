/** A further consumer of a plan, as one file: how many of what a search finds have each value of a field. */
import { anonymous, local, type Caller } from '#app/core/caller';
import { registryOf } from '#app/plugins/objects/server';
import { raw, sql } from '#app/plugins/objects/server/database/sql';
import type { Registry } from '#app/plugins/objects/server/registry';
import { rowsIn } from '#app/plugins/objects/server/search/conditions/partitions';
import { readerOf } from '#app/plugins/objects/server/search/execute/search';
import { runnerFor } from '#app/plugins/objects/server/search/execute/run';
import { readQuery } from '#app/plugins/objects/server/search/language/query';
import { SearchMemory } from '#app/plugins/objects/server/search/memory';
import { probe } from '#app/plugins/objects/server/search/plan/choose';
import { scansOf } from '#app/plugins/objects/server/search/plan/scans';
import { authorizationOf } from '../../helpers/callers';
import { responseOf } from '../../helpers/people';
import type { World } from '../../helpers/world';

type Headers = Readonly<Record<string, string>>;

/** By value: under `null` those without one, under `hidden` those of which the caller is not shown it. */
export async function facetOf(
  registry: Registry,
  type: string,
  parameters: URLSearchParams,
  name: string,
  caller: Caller,
): Promise<ReadonlyMap<string, number>> {
  const model = registry.model();
  const memory = new SearchMemory(model, registry.projections());
  const { resource } = model.type(type);
  const query = readQuery(resource, model.resources, model.site(), new Map(parameters), () => null);
  const compiled = readerOf(model, type, caller);
  const runner = runnerFor(model, caller);
  const { source, resolved, askedIn } = await probe(memory, type, compiled, query, null, runner);
  const field = resource.fields.get(name);
  if (!field) throw new RangeError(`${type} has no ${name}`);
  const { index } = scansOf(source, resolved, []);
  const { shown, columns } = source.term(field);
  const value = sql`case when ${shown} then coalesce(cast(${columns[0] ?? raw('null')} as text), 'null') else 'hidden' end`;
  const counts = await runner[askedIn](
    sql`select t.value, count(*) from (${rowsIn(index.selections, sql`${value} as value`)}) t group by 1`,
  );
  return new Map(counts.map(([one, count]) => [String(one), Number(count)]));
}

/** Searches with few and many matches, by each kind of scan. */
const SEARCHES = ['', 'q=zebra', 'bbox=-1.8e2,-9E1,180,90', 'sex_not=male', 'group_size_min=2e0'];
const FIELDS = ['sex', 'country_code', 'taxonomy'];

/** What a facet counts is what searches for its values count. */
export function testFacet(world: () => World): void {
  const total = async (query: string, headers: Headers): Promise<number> => {
    const url = `/api/v0/search/encounter?${query}&limit=0&count=exact`;
    return Number(responseOf(await world().send({ method: 'GET', url, headers }))['total']);
  };

  test.each(SEARCHES)('a further consumer of the plan counts the values of %p', async (query) => {
    const registry = registryOf(world().service.strapi);
    let counted = 0;
    for (const role of ['anonymous', 'moderator'] as const)
      for (const name of FIELDS) {
        const caller = local(anonymous(role));
        const facet = await facetOf(
          registry,
          'encounter',
          new URLSearchParams(query),
          name,
          caller,
        );
        const headers = role === 'anonymous' ? {} : authorizationOf(role);
        const idsOf = await documentIds(world(), name);
        for (const [value, count] of facet) {
          if (value === 'hidden') continue;
          const by = `${query}&${name}=${idsOf.get(value) ?? value}`;
          expect([role, by, await total(by, headers)]).toEqual([role, by, count]);
          counted += count;
        }
        const sum = [...facet.values()].reduce((all, one) => all + one, 0);
        expect([role, name, sum]).toEqual([role, name, await total(query, headers)]);
      }
    expect(counted).toBeGreaterThan(0);
  });
}

/** The IDs of what a reference refers to, by their rows; none for another field. */
async function documentIds({ service }: World, name: string): Promise<ReadonlyMap<string, string>> {
  if (name !== 'taxonomy') return new Map();
  const { connection } = service.strapi.db;
  const rows = await connection('taxonomies').select<{ id: number; document_id: string }[]>();
  return new Map(rows.map(({ id, document_id }) => [String(id), document_id]));
}
