/** The settings and records of a new instance; later changes stay. */
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changeSettings } from '../../src/api/site-settings/setup';
import { appRoot } from '../../src/boot/app-root';
import type { Service } from '../../src/boot/boot';
import { service as itself } from '../../src/core/caller';
import { addStream } from '../../src/plugins/assets/server/stream';
import type { ImportService } from '../../src/plugins/exchange/server';
import { siteOf } from '../../src/plugins/objects/server';
import { filePath } from '../../src/plugins/objects/server/kinds/path';
import type { Body } from '../../src/plugins/objects/server/declare/objects';
import type { DemoAccounts } from './accounts';

/** The packages: their folders, what their records are known by, and who owns these. */
export const PACKAGES = {
  mica: {
    folder: 'camtrap-dp-example',
    source: '7cca70f5-ef8c-4f86-85fb-8f070937d7ab',
    owner: 'colleague',
  },
  serengeti: {
    folder: 'serengeti-photos',
    source: 'snapshot-serengeti-nine',
    owner: 'user',
  },
  oystercatchers: {
    folder: 'dwca-oystercatchers',
    source: 'https://doi.org/10.5281/zenodo.10053903',
    owner: 'moderator',
  },
} as const;

const demoFile = (name: string): string => join(appRoot, 'database', 'demo', name);

/** Gives a new instance its name, logo, regions and fields. */
export async function makeSettings({ strapi }: Service): Promise<void> {
  if (siteOf(strapi).current().version > 1) return;
  const settings = JSON.parse(readFileSync(demoFile('site-settings.json'), 'utf8')) as Body;
  const file = createReadStream(demoFile('logo.png'));
  const logo = await addStream(strapi, file, { filename: 'logo.png' }, itself);
  await changeSettings(strapi, { ...settings, logo_id: filePath('asset', logo) });
}

/** Imports the packages into an empty database. */
export async function makeRecords(
  { strapi }: Service,
  dataDir: string,
  accounts: DemoAccounts,
): Promise<void> {
  if ((await strapi.documents('api::encounter.encounter').count({})) > 0) return;
  const imports = strapi.plugin('exchange').service<ImportService>('import');
  for (const { folder, owner } of Object.values(PACKAGES))
    await imports.run(demoFile(folder), {
      report: join(dataDir, 'demo-import.csv'),
      owner: accounts[owner].id,
    });
}

/** The ID of an encounter, the first of those with photographs while there are any. */
export async function anEncounter({ strapi }: Service): Promise<string> {
  const encounters = strapi.documents('api::encounter.encounter');
  const { source } = PACKAGES.serengeti;
  const one =
    (await encounters.findFirst({ filters: { source }, sort: 'timeStart' })) ??
    (await encounters.findFirst({ sort: 'timeStart:desc' }));
  return one?.documentId ?? '<id>';
}
