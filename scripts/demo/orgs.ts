/** Two orgs, for whose people the demo's accounts stand. */
import type { Service } from '../../src/boot/boot';
import { objectsOf, siteOf } from '../../src/plugins/objects/server';
import { filePath } from '../../src/plugins/objects/server/kinds/path';
import type { Body, Change } from '../../src/plugins/objects/server/declare/objects';
import type { DemoAccount, DemoAccounts, DemoName } from './accounts';
import { PACKAGES } from './records';

interface DemoOrg {
  readonly body: Body;
  /** Its records, whose owner is its owner. */
  readonly records: (typeof PACKAGES)[keyof typeof PACKAGES];
  /** The region that all of them are in. */
  readonly region: string;
  /** The record whose photograph is its logo. */
  readonly pictured?: string;
  /** Who else belongs to it. */
  readonly people: Readonly<Partial<Record<DemoName, 'member' | 'manager'>>>;
}

const ORGS: readonly DemoOrg[] = [
  {
    body: {
      name: 'Snapshot Serengeti',
      description:
        'Camera traps in Serengeti National Park, whose pictures volunteers identify. In this demonstration the demo’s accounts stand for its people.',
      website: 'https://www.snapshotserengeti.org',
      email: 'serengeti@example.org',
      country_code: 'TZ',
    },
    records: PACKAGES.serengeti,
    region: 'serengeti',
    pictured: 'S5_G04_R1_IMAG0154',
    people: { moderator: 'member' },
  },
  {
    body: {
      name: 'MICA',
      description:
        'Management of Invasive Coypu and muskrAt in Europe: camera traps along waters. In this demonstration the demo’s accounts stand for its people.',
      website: 'https://lifemica.eu',
      email: 'mica@example.org',
      country_code: 'BE',
    },
    records: PACKAGES.mica,
    region: 'flanders',
    people: { moderator: 'manager', user: 'member' },
  },
];

/** Makes the orgs, and has their records name them, in one transaction. An instance that has orgs keeps them. */
export async function makeOrgs(service: Service, accounts: DemoAccounts): Promise<void> {
  const { strapi } = service;
  if ((await strapi.documents('api::org.org').count({})) > 0) return;
  await strapi.db.transaction(async () => {
    for (const org of ORGS) await share(service, accounts, org, await make(service, accounts, org));
  });
}

/** The ID of an org of the demo, or of another while there is any. */
export async function anOrg({ strapi }: Service): Promise<string> {
  return (await strapi.documents('api::org.org').findFirst({ sort: 'id' }))?.documentId ?? '<id>';
}

/** The owner makes it, the others ask to join, and the owner lets them in. @returns its ID */
async function make(
  service: Service,
  accounts: DemoAccounts,
  { body, records, pictured, people }: DemoOrg,
): Promise<string> {
  const objects = objectsOf(service.strapi);
  const owner = accounts[records.owner];
  const logo_id = pictured === undefined ? null : await photographOf(service, pictured, owner);
  const change: Change = { op: 'create', type: 'org', body: { ...body, logo_id } };
  const { id } = await objects.write(change, owner.caller);
  const act = { op: 'act', type: 'org', id } as const;
  for (const [name, role] of Object.entries(people)) {
    const { id: user, caller } = accounts[name as DemoName];
    await objects.write({ ...act, action: 'join', body: {} }, caller);
    await objects.write({ ...act, action: 'member', body: { user, role } }, owner.caller);
  }
  return id;
}

/** The path of the first photograph of a record that somebody owns, null without one. */
async function photographOf(
  { strapi }: Service,
  record: string,
  owner: DemoAccount,
): Promise<string | null> {
  const encounter = await strapi.documents('api::encounter.encounter').findFirst({
    filters: { externalId: record, owner: { documentId: owner.id } },
    populate: ['assets'],
  });
  const [asset] = encounter?.assets ?? [];
  return asset ? filePath('asset', asset.documentId) : null;
}

/** The owner of the records has them name the org, and their region while the site has it. */
async function share(
  { strapi }: Service,
  accounts: DemoAccounts,
  { records: { source, owner }, region }: DemoOrg,
  org: string,
): Promise<void> {
  const { id, caller } = accounts[owner];
  const encounters = await strapi.documents('api::encounter.encounter').findMany({
    filters: { source, owner: { documentId: id } },
    fields: ['documentId'],
  });
  const isKnown = siteOf(strapi)
    .current()
    .regions.some((one) => one.id === region);
  const body = { organizations: [org], ...(isKnown ? { location_id: region } : {}) };
  const changes = encounters.map(({ documentId }): Change => ({
    op: 'update',
    type: 'encounter',
    id: documentId,
    body,
  }));
  for (const outcome of await objectsOf(strapi).writeAll(changes, caller))
    if (!outcome.ok) throw outcome.error;
}
