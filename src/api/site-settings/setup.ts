/** What makes the settings ready to be read and changed. */
import type { Core } from '@strapi/strapi';
import { service, type Caller } from '../../core/caller';
import { markInitialized } from '../../plugins/accounts/server/users/consequences';
import { attachable } from '../../plugins/assets/server/attachable';
import { databaseOf, objectsOf, registryOf, siteOf } from '../../plugins/objects/server';
import { isPlainObject } from '../../plugins/objects/server/kinds/normalize';
import { idIn } from '../../plugins/objects/server/kinds/path';
import { MAX_NAMES as MAX_MEDIA } from '../../plugins/objects/server/kinds/paths';
import { SITE_ID, SITE_TYPE, SITE_UID } from '../../plugins/objects/server/site/settings';
import type { Body, Change } from '../../plugins/objects/server/declare/objects';
import type { SettingsFindings } from './domain/rules';
import { usesOf } from './uses';

/**
 * Makes the row at the first start, and has changes of it prepared. In `bootstrap`, before the port opens.
 *
 * @param frontendUrl what the environment says, null where it says nothing
 */
export async function openSiteSettings(
  strapi: Core.Strapi,
  { frontendUrl }: { readonly frontendUrl: string | null },
): Promise<void> {
  const site = siteOf(strapi);
  site.override(frontendUrl === null ? {} : { frontend_url: frontendUrl });
  objectsOf(strapi).prepare(SITE_TYPE, (change, caller) => prepareChange(strapi, change, caller));
  objectsOf(strapi).onWritten((type) => {
    const isAwaited = type === 'user' && !site.current().initialized;
    if (type !== SITE_TYPE && !isAwaited) return;
    void site.load().catch((error: unknown) => {
      strapi.log.error(`site settings: ${error instanceof Error ? error.message : 'unreadable'}`);
    });
  });
  await makeRow(strapi);
  const database = databaseOf(strapi);
  await database.write(() => markInitialized(database.dialect));
  await site.load();
}

/** Changes the settings in the name of the service itself; they count when this ends. @throws ApiError */
export async function changeSettings(strapi: Core.Strapi, body: Body): Promise<void> {
  const change = { op: 'update', type: SITE_TYPE, id: SITE_ID, body } as const;
  await objectsOf(strapi).write(change, service);
  await siteOf(strapi).settled();
}

async function makeRow(strapi: Core.Strapi): Promise<void> {
  const [row] = (await strapi.db.query(SITE_UID).findMany({ limit: 1 })) as readonly Body[];
  if (row?.['documentId'] === SITE_ID) return;
  // Strapi made a row of its own when somebody saved the settings of an earlier version.
  const { table } = registryOf(strapi).model().type(SITE_TYPE).resource;
  if (row) await strapi.db.connection(table).where({ id: row['id'] }).delete();
  const body = row ? bodyOf(strapi, row) : {};
  await objectsOf(strapi).write(
    { op: 'create', type: SITE_TYPE, body: { ...body, id: SITE_ID } },
    service,
  );
}

/** What a row of Strapi's says, by its names on the wire. */
function bodyOf(strapi: Core.Strapi, row: Body): Body {
  const { fields } = registryOf(strapi).model().type(SITE_TYPE).resource;
  return Object.fromEntries(
    [...fields.values()].flatMap(({ name, attribute, derived }) => {
      const value = attribute === null || derived ? null : (row[attribute] ?? null);
      return value === null || value === '' ? [] : [[name, value]];
    }),
  );
}

/** The names of new entries whose assets are not there, or not the caller's to attach. */
async function missingMedia(
  strapi: Core.Strapi,
  media: unknown,
  caller: Caller,
): Promise<string[]> {
  if (!isPlainObject(media) || Object.keys(media).length > MAX_MEDIA) return [];
  const stored = siteOf(strapi).current().media;
  const missing: string[] = [];
  for (const [name, path] of Object.entries(media)) {
    if (typeof path !== 'string' || stored[name] === path.toLowerCase()) continue;
    const id = idIn(path.toLowerCase());
    if (!(await attachable(objectsOf(strapi), id, caller, ['id']))) missing.push(name);
  }
  return missing;
}

async function prepareChange<C extends Change>(
  strapi: Core.Strapi,
  change: C,
  caller: Caller,
): Promise<C> {
  if (change.op !== 'update' || !isPlainObject(change.body)) return change;
  const fixed = siteOf(strapi).overridden();
  const names = Object.keys(fixed).filter((name) => name in change.body);
  const free = Object.entries(change.body).filter(([name]) => !names.includes(name));
  const body = Object.fromEntries(free);
  const { resources } = registryOf(strapi).model();
  const findings: SettingsFindings = {
    fixed: names.filter((name) => change.body[name] !== fixed[name]),
    missing: await missingMedia(strapi, body['media'], caller),
    uses: await usesOf({ database: databaseOf(strapi), resources }, siteOf(strapi).current(), body),
  };
  return { ...change, body, findings };
}
