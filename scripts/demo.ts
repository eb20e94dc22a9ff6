import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { boot, type Service } from '../src/boot/boot';
import { readEnvironment } from '../src/boot/environment';
import { createFirstAdministrator } from '../src/boot/first-administrator';
import { appRoot } from '../src/boot/app-root';
import { run, useProduction } from '../src/boot/run';
import type { ImportService } from '../src/plugins/exchange/server';

const EMAIL = 'demo@example.org';
const PACKAGE = join(appRoot, 'database', 'demo', 'camtrap-dp-example');

useProduction();
void run(demo);

/**
 * The service with real records in it, open to be tried out: whoever asks is an administrator. It never touches
 * what belongs to the service itself, whatever the environment says: its folder is one of its own, its database
 * SQLite.
 */
async function demo(): Promise<Service> {
  const { dataDir } = readEnvironment();
  process.env.OMS_DATA_DIR = join(dataDir, 'demo');
  process.env.DATABASE_CLIENT = 'sqlite';
  process.env.LOG_LEVEL ||= 'warn';
  const service = await boot({ anonymousActsAs: 'administrator' });
  const password = await makeAccount(service);
  const encounter = await makeRecords(service, process.env.OMS_DATA_DIR);
  process.stdout.write(welcome(service, process.env.OMS_DATA_DIR, password, encounter));
  return service;
}

/** @returns the password, when this is the first start; afterwards nobody knows it. */
async function makeAccount({ strapi }: Service): Promise<string | null> {
  // The panel's own rules: a letter of either case and a digit, which random text need not have.
  const password = `Oms1-${randomBytes(9).toString('base64url')}`;
  const account = { email: EMAIL, password, firstname: 'Demo' };
  return (await createFirstAdministrator(strapi, account)) ? password : null;
}

/** Imports the records into an empty database; what is done to them afterwards stays. @returns the ID of one */
async function makeRecords({ strapi }: Service, dataDir: string): Promise<string> {
  const encounters = strapi.documents('api::encounter.encounter');
  if ((await encounters.count({})) === 0) {
    const imports = strapi.plugin('exchange').service<ImportService>('import');
    await imports.run(PACKAGE, { report: join(dataDir, 'demo-import.csv') });
  }
  const one = await encounters.findFirst({ sort: 'timeStart:desc' });
  return one?.documentId ?? '<id>';
}

function welcome(
  { url }: Service,
  dataDir: string,
  password: string | null,
  encounter: string,
): string {
  return `
The Object Management Service is running, with demo records.

  Admin panel   ${url}/admin
                ${EMAIL}, ${password ? `password ${password} (shown this once)` : 'with the password that the first start showed'}
  API           ${url}/api/v0

Try it:

  curl '${url}/api/v0/encounter/${encounter}?include=taxonomy'
  curl -X PUT ${url}/api/v0/encounter/${encounter} -H 'Content-Type: application/json' -d '{"sex": "female"}'
  curl ${url}/api/v0/openapi.json

Its data is kept in ${dataDir}; delete that folder to begin anew.
Stop it with Ctrl+C.

`;
}
