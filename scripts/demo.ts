import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { boot, type Service } from '../src/boot/boot';
import { readEnvironment } from '../src/boot/environment';
import { appRoot } from '../src/boot/app-root';
import { run, useProduction } from '../src/boot/run';
import { makeAccount } from '../src/plugins/accounts/server/users/make';
import type { ImportService } from '../src/plugins/exchange/server';
import { objectsOf } from '../src/plugins/objects/server';

/** One account of each role. */
const ROLES = ['administrator', 'moderator', 'user'] as const;

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
  // The accounts of the demo have the first administrator among them.
  const service = await boot({ anonymousActsAs: 'administrator', announce: () => undefined });
  const accounts = await makeAccounts(service);
  const encounter = await makeRecords(service, process.env.OMS_DATA_DIR);
  process.stdout.write(welcome(service, process.env.OMS_DATA_DIR, accounts, encounter));
  return service;
}

/** An account, and its password when this is the first start; afterwards nobody knows it. */
interface DemoAccount {
  readonly email: string;
  readonly password: string | null;
}

async function makeAccounts({ strapi }: Service): Promise<DemoAccount[]> {
  const accounts: DemoAccount[] = [];
  for (const role of ROLES) {
    const email = `${role}@example.org`;
    const exists = (await objectsOf(strapi).findUnique('user', { email })) !== null;
    const password = exists ? null : randomBytes(12).toString('base64url');
    if (password !== null)
      await makeAccount(objectsOf(strapi), { name: `Demo ${role}`, email, password, role });
    accounts.push({ email, password });
  }
  return accounts;
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
  accounts: readonly DemoAccount[],
  encounter: string,
): string {
  return `
The Object Management Service is running, with demo records.

  Admin panel   ${url}/admin
  API           ${url}/api/v0

Accounts, for the API; all but the last for the panel too:

${accounts.map(accountLine).join('\n')}

Try it:

  curl '${url}/api/v0/encounter/${encounter}?include=taxonomy'
  curl -X PUT ${url}/api/v0/encounter/${encounter} -H 'Content-Type: application/json' -d '{"sex": "female"}'
  curl ${url}/api/v0/openapi.json

Its data is kept in ${dataDir}; delete that folder to begin anew.
Stop it with Ctrl+C.

`;
}

const accountLine = ({ email, password }: DemoAccount): string =>
  `  ${email.padEnd(28)}${password ? `password ${password} (shown this once)` : 'with the password that the first start showed'}`;
