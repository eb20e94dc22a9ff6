/** `npm run demo`: starts the service with real records and an account for each role. */
import { randomBytes } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { changeSettings } from '../src/api/site-settings/setup';
import { boot, type Service } from '../src/boot/boot';
import { readEnvironment } from '../src/boot/environment';
import { appRoot } from '../src/boot/app-root';
import { run, useProduction } from '../src/boot/run';
import { takeWriterLock } from '../src/boot/writer-lock';
import { service as itself } from '../src/core/caller';
import { StartError } from '../src/core/start-error';
import { isPassword } from '../src/plugins/accounts/server/passwords/hash';
import { findByName } from '../src/plugins/accounts/server/users/account';
import { makeAccount } from '../src/plugins/accounts/server/users/make';
import { addStream } from '../src/plugins/assets/server/stream';
import type { ImportService } from '../src/plugins/exchange/server';
import { databaseOf, objectsOf, siteOf } from '../src/plugins/objects/server';
import { filePath } from '../src/plugins/objects/server/kinds/path';
import type { Body } from '../src/plugins/objects/server/types';

/** One account of each role. */
const ROLES = ['administrator', 'moderator', 'user'] as const;

function demoFile(name: string): string {
  return join(appRoot, 'database', 'demo', name);
}

/** Records without photographs, and with. */
const PACKAGES = ['camtrap-dp-example', 'serengeti-photos'].map(demoFile);

/** What the records with photographs are known by. */
const PHOTOGRAPHED = 'snapshot-serengeti-nine';

/** Of which there are individuals. */
const MALLARD = 'Anas platyrhynchos';

useProduction();
void run(demo);

/**
 * For any environment, the demo uses its own folder, SQLite and mails as files, and never the data of the service
 * itself.
 */
async function demo(): Promise<Service> {
  const dataDir = join(readEnvironment().dataDir, 'demo');
  if (isFresh(process.argv.slice(2))) removeData(dataDir);
  Object.assign(process.env, {
    OMS_DATA_DIR: dataDir,
    DATABASE_CLIENT: 'sqlite',
    DATABASE_URL: '',
    PUBLIC_URL: '',
    SMTP_URL: '',
    OMS_ADMIN_EMAIL: '',
    OMS_ADMIN_PASSWORD: '',
    LOG_LEVEL: process.env.LOG_LEVEL || 'warn',
  });
  // The demo's accounts include the first administrator.
  const service = await boot({
    localFrontends: true,
    announce: () => undefined,
  });
  const accounts = await makeAccounts(service, join(dataDir, 'passwords.json'));
  await makeSettings(service);
  const encounter = await makeRecords(service, dataDir);
  const individual = await makeFamily(service);
  process.stdout.write(welcome(service, dataDir, accounts, { encounter, individual }));
  return service;
}

function isFresh(args: string[]): boolean {
  try {
    return parseArgs({ args, options: { fresh: { type: 'boolean' } } }).values.fresh ?? false;
  } catch {
    throw new StartError('Usage: npm run demo [-- --fresh]; --fresh begins anew.');
  }
}

/** @throws StartError while another demo runs on it */
function removeData(dataDir: string): void {
  if (!existsSync(dataDir)) return;
  takeWriterLock(join(dataDir, 'db.sqlite')).release();
  rmSync(dataDir, { recursive: true });
}

/** An account and its password; null if the password has been changed. */
interface DemoAccount {
  readonly email: string;
  readonly password: string | null;
}

/** @param file stores the passwords for the next start */
async function makeAccounts({ strapi }: Service, file: string): Promise<DemoAccount[]> {
  const kept = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>)
    : {};
  const accounts: DemoAccount[] = [];
  for (const role of ROLES) {
    const email = `${role}@example.org`;
    const account = await findByName(databaseOf(strapi), email);
    if (account) {
      const password = kept[email] ?? '';
      const isRight = await isPassword(password, account.password);
      accounts.push({ email, password: isRight ? password : null });
      continue;
    }
    const password = (kept[email] ??= randomBytes(12).toString('base64url'));
    writeFileSync(file, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 });
    await makeAccount(objectsOf(strapi), { name: `Demo ${role}`, email, password, role });
    accounts.push({ email, password });
  }
  return accounts;
}

/** Gives a new instance its name, logo, regions and fields; later changes stay. */
async function makeSettings({ strapi }: Service): Promise<void> {
  if (siteOf(strapi).current().version > 1) return;
  const settings = JSON.parse(readFileSync(demoFile('site-settings.json'), 'utf8')) as Body;
  const file = createReadStream(demoFile('logo.png'));
  const logo = await addStream(strapi, file, { filename: 'logo.png' }, itself);
  await changeSettings(strapi, { ...settings, logo_id: filePath('asset', logo) });
}

/** Imports the records into an empty database; an existing one is kept. @returns the ID of an encounter */
async function makeRecords({ strapi }: Service, dataDir: string): Promise<string> {
  const encounters = strapi.documents('api::encounter.encounter');
  if ((await encounters.count({})) === 0) {
    const imports = strapi.plugin('exchange').service<ImportService>('import');
    for (const path of PACKAGES)
      await imports.run(path, { report: join(dataDir, 'demo-import.csv') });
  }
  const one =
    (await encounters.findFirst({ filters: { source: PHOTOGRAPHED }, sort: 'timeStart:desc' })) ??
    (await encounters.findFirst({ sort: 'timeStart:desc' }));
  return one?.documentId ?? '<id>';
}

/**
 * Makes three mallards with names and relatives, met in the records. An instance that has individuals keeps them.
 *
 * @returns the ID of one
 */
async function makeFamily({ strapi }: Service): Promise<string> {
  const [individuals, encounters, taxa] = [
    strapi.documents('api::individual.individual'),
    strapi.documents('api::encounter.encounter'),
    strapi.documents('api::taxonomy.taxonomy'),
  ];
  const taxon = await taxa.findFirst({ filters: { scientificName: MALLARD } });
  const known = await individuals.findFirst({ sort: 'name:desc' });
  if (!taxon || known) return known?.documentId ?? '<id>';
  const filters = { taxonomy: { documentId: taxon.documentId } };
  const met = await encounters.findMany({ filters, sort: 'timeStart', limit: 3 });
  const keeper = await findByName(databaseOf(strapi), 'user@example.org');
  const make = async (name: string, sex: string | null, rest: Body): Promise<string> => {
    const names = [{ context: 'nickname', value: name, preferred: true }];
    const body = { names, sex, owner: keeper?.id ?? null, taxonomy: taxon.documentId, ...rest };
    return (await objectsOf(strapi).write({ op: 'create', type: 'individual', body }, itself)).id;
  };
  const [first, ...others] = met.map(({ documentId }) => documentId);
  const mother = await make('Alba', 'female', { encounters: first === undefined ? [] : [first] });
  const father = await make('Bruno', 'male', {
    encounters: others,
    relationships: [{ individual: mother, type: 'mate' }],
  });
  const parents = [
    { individual: mother, type: 'mother' },
    { individual: father, type: 'father' },
  ];
  return make('Coco', null, { time_of_birth: '2020', relationships: parents });
}

function welcome(
  { url }: Service,
  dataDir: string,
  accounts: readonly DemoAccount[],
  { encounter, individual }: { readonly encounter: string; readonly individual: string },
): string {
  const [administrator] = accounts;
  return `
The Object Management Service is running, with demo records.

  Admin panel   ${url}/admin
  API           ${url}/api/v0/openapi.json
  Mails         ${join(dataDir, 'mail')}

Accounts; all but the last may sign in to the panel:

${accounts.map(accountLine).join('\n')}

A shell in which the examples of README.md and docs/accounts.md work:

  export api=${url}/api/v0 data='${dataDir}'
  export OMS_ADMIN_EMAIL='${administrator?.email ?? ''}' OMS_ADMIN_PASSWORD='${administrator?.password ?? '...'}'

Try it; to read and to report needs no account, to change something does:

  curl ${url}/api/v0/encounter/${encounter}?include=taxonomy,assets
  curl ${url}/api/v0/individual/${individual}?include=relationships,taxonomy
  curl ${url}/api/v0/encounter -H 'Content-Type: application/json' -d '{"time": "2026-03-09", "remarks": "Two zebras"}'

Any frontend on this machine may call it. Its data is kept in ${dataDir};
"npm run demo -- --fresh" begins anew. Stop it with Ctrl+C.

`;
}

const accountLine = ({ email, password }: DemoAccount): string =>
  `  ${email.padEnd(28)}${password ? `password ${password}` : 'has another password than that of the first start'}`;
