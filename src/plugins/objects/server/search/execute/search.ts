/** Searches the objects of a type, as far as the caller may see them. */
import type { Caller } from '../../../../../core/caller';
import { ApiError } from '../../../../../core/errors';
import type { CallerModel, Model } from '../../read/model';
import { readIncluded, type Included } from '../../read/include';
import { cutTo, readObjects } from '../../read/reader';
import { kindOf } from '../../rights/caller-args';
import { switchKey } from '../../site/switches';
import { privacyKey } from '../../site/settings';
import type { Body, Matches } from '../../declare/objects';
import { readQuery, type SearchQuery } from '../language/query';
import type { SearchMemory } from '../memory';
import { choose, probe } from '../plan/choose';
import { explainPlan, type PlanDescription } from '../plan/plan';
import type { PlaceCursors } from './cursor';
import { find, withOneMore } from './find';
import { runnerFor } from './run';

/** What is searched for, by whom. */
interface Asked {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly caller: Caller;
}

/** @throws ApiError LOGIN_REQUIRED or what else refuses the read, MALFORMED with the parameters that are wrong */
export async function search(
  memory: SearchMemory,
  cursors: PlaceCursors,
  asked: Asked,
): Promise<Matches> {
  const { type, caller } = asked;
  const { model } = memory;
  const { query, plan, runner, boundTo } = await planned(memory, cursors, asked);
  const { ids, next, ...total } = await find(plan, query, runner);
  const found = query.expand ? await expanded(model, type, ids, query, caller) : {};
  return {
    ids,
    ...total,
    limit: query.limit,
    next: next && cursors.encode(next, boundTo(query.bound)),
    ...found,
  };
}

/** How a search would be carried out. @throws ApiError as `search` */
export async function explainSearch(
  memory: SearchMemory,
  cursors: PlaceCursors,
  asked: Asked,
): Promise<PlanDescription> {
  const { query, plan } = await planned(memory, cursors, asked);
  return explainPlan(memory.model.type(asked.type).resource, query, plan);
}

async function planned(
  memory: SearchMemory,
  cursors: PlaceCursors,
  { type, parameters, caller }: Asked,
) {
  const { model } = memory;
  const { resource } = model.type(type);
  const compiled = readerOf(model, type, caller);
  const boundTo = binding(model, caller);
  const query = readQuery(resource, model.resources, model.site(), parameters, (cursor, bound) =>
    cursors.decode(cursor, boundTo(bound)),
  );
  const runner = runnerFor(model, caller);
  const probed = await probe(memory, type, compiled, query, withOneMore(query), runner);
  return { query, plan: choose(query, probed), runner, boundTo };
}

/** What is compiled for a caller. @throws ApiError where it may read no object of the type */
export function readerOf(model: Model, type: string, caller: Caller): CallerModel {
  const compiled = model.type(type).for(caller);
  const { access } = compiled;
  if (access.extent('read').length === 0) throw new ApiError(access.refusal('read'));
  return compiled;
}

/** What a cursor is good for: this query, of this caller, while it may see the same. */
function binding(model: Model, caller: Caller): (query: string) => string {
  const site = model.site();
  const { role, claims } = kindOf(caller);
  const sees = [caller.id, role, claims, switchKey(site), privacyKey(site)];
  return (query) => JSON.stringify([query, ...sees]);
}

/** The objects that were found, in their order. One that has gone meanwhile is not found. */
async function expanded(
  model: Model,
  type: string,
  ids: readonly string[],
  { include, fields }: SearchQuery,
  caller: Caller,
): Promise<{ ids: readonly string[]; objects: readonly string[]; included?: Included }> {
  const texts = await readObjects(model, type, ids, caller);
  const there = ids.filter((id) => texts.has(id));
  const whole = there.map((id) => texts.get(id) ?? '');
  if (!include && !fields) return { ids: there, objects: whole };
  const bodies = whole.map((text) => JSON.parse(text) as Body);
  const objects = fields ? bodies.map((body) => JSON.stringify(cutTo(body, fields))) : whole;
  if (!include) return { ids: there, objects };
  const { resource } = model.type(type);
  const included = await readIncluded(model, resource, bodies, include, caller);
  return { ids: there, objects, included };
}
