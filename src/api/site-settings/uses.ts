/** How many records use what a change of the settings would take away. */
import { setImmediate } from 'node:timers/promises';
import type { Database } from '../../plugins/objects/server/database/database';
import { raw, sql } from '../../plugins/objects/server/database/sql';
import type { Field, Resource, Resources } from '../../plugins/objects/server/declare/completed';
import type { Kind } from '../../plugins/objects/server/declare/kinds';
import type { CustomField, Region, SiteSettings } from '../../plugins/objects/server/site/settings';
import type { Body } from '../../plugins/objects/server/declare/objects';

/** What records use. */
export interface Use {
  /** In the settings: `regions.<id>`, `custom_fields.<type>.<key>`. */
  readonly path: string;
  /** The type of the records. */
  readonly type: string;
  readonly count: number;
}

/** Rows that are looked at in one turn of the event loop: some 5 ms. */
const CHUNK = 2000;

/** What a change takes away. */
interface Taken {
  readonly regions: ReadonlySet<string>;
  /** Keys that go, or whose type changes, by the type of objects. */
  readonly customFields: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Counts the records that use what the settings have now and would not have after this change. It looks at all records
 * only where something is taken away, and at a part of them at a time.
 *
 * @param body of the change, not yet checked
 */
export async function usesOf(
  { database, resources }: { readonly database: Database; readonly resources: Resources },
  settings: SiteSettings,
  body: Body,
): Promise<Use[]> {
  const taken: Taken = {
    regions: takenRegions(settings.regions, body['regions']),
    customFields: takenFields(settings.customFields, body['custom_fields']),
  };
  const uses: Use[] = [];
  for (const resource of resources.values())
    uses.push(...(await usesByType(database, resource, taken)));
  return uses;
}

function takenRegions(regions: readonly Region[], given: unknown): Set<string> {
  if (given === undefined) return new Set();
  const kept = new Set<unknown>(
    Array.isArray(given) ? given.map((region: Body | null) => region?.['id']) : [],
  );
  return new Set(regions.map(({ id }) => id).filter((id) => !kept.has(id)));
}

function takenFields(
  definitions: SiteSettings['customFields'],
  given: unknown,
): Map<string, Set<string>> {
  if (given === undefined) return new Map();
  return new Map(
    Object.entries(definitions).map(([type, fields]) => {
      const after: unknown = (given as Body | null)?.[type];
      const types = new Map(
        Array.isArray(after)
          ? after.map((field: Partial<CustomField> | null) => [field?.key, field?.type])
          : [],
      );
      return [type, new Set(fields.filter((f) => types.get(f.key) !== f.type).map((f) => f.key))];
    }),
  );
}

async function usesByType(
  database: Database,
  resource: Resource,
  { regions, customFields }: Taken,
): Promise<Use[]> {
  const region = regions.size > 0 ? columnOf(resource, 'region') : null;
  const keys = customFields.get(resource.type) ?? new Set<string>();
  const values = keys.size > 0 ? columnOf(resource, 'customFields') : null;
  if (region === null && values === null) return [];
  const counts = new Map<string, number>();
  const count = (path: string, by: number): void => {
    counts.set(path, (counts.get(path) ?? 0) + by);
  };
  const table = raw(resource.table);
  const [[last = 0] = []] = await database.read(sql`select max(id) from ${table}`);
  for (let from = 0; from < Number(last); from += CHUNK) {
    const range = sql`from ${table} where id > ${from} and id <= ${from + CHUNK}`;
    if (region !== null) {
      const found = await database.read(
        sql`select ${raw(region)}, count(*) ${range} and ${raw(region)} is not null group by 1`,
      );
      for (const [id, number] of found)
        if (regions.has(String(id))) count(`regions.${String(id)}`, Number(number));
    }
    if (values !== null) {
      const text = sql`cast(${raw(values)} as text)`;
      for (const [object] of await database.read(sql`select ${text} ${range} and ${text} <> '{}'`))
        for (const [key, value] of Object.entries(JSON.parse(String(object)) as Body))
          if (keys.has(key) && value !== null) count(`custom_fields.${resource.type}.${key}`, 1);
    }
    await setImmediate();
  }
  return [...counts].map(([path, number]) => ({ path, type: resource.type, count: number }));
}

const columnOf = ({ fields }: Resource, kind: Kind): string | null =>
  [...fields.values()].find((field: Field) => field.kind === kind)?.columns[0] ?? null;
