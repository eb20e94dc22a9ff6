/** `npm run demo`: starts the service with real records, and with accounts, orgs and collaborations around them. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { boot, type Service } from '../src/boot/boot';
import { readEnvironment } from '../src/boot/environment';
import { S3_VARIABLES } from '../src/boot/s3-environment';
import { run, useProduction } from '../src/boot/run';
import { takeWriterLock } from '../src/boot/writer-lock';
import { StartError } from '../src/core/start-error';
import { makeAccounts } from './demo/accounts';
import { makeCollaborations } from './demo/collaborations';
import { obscureElephants, readElephant } from './demo/elephants';
import { countHidden } from './demo/hidden';
import { makeFamily } from './demo/family';
import { anOrg, makeOrgs } from './demo/orgs';
import { anEncounter, makeRecords, makeSettings } from './demo/records';
import { welcome } from './demo/welcome';

useProduction();
void run(demo);

/**
 * For any environment but `PUBLIC_URL`, the demo uses its own folder, SQLite, and mails and photographs as files, and never the data of
 * the service itself.
 */
async function demo(): Promise<Service> {
  const dataDir = join(readEnvironment().dataDir, 'demo');
  if (isFresh(process.argv.slice(2))) removeData(dataDir);
  Object.assign(process.env, {
    OMS_DATA_DIR: dataDir,
    DATABASE_CLIENT: 'sqlite',
    DATABASE_URL: '',
    SMTP_URL: '',
    ...Object.fromEntries(Object.keys(S3_VARIABLES).map((name) => [name, ''])),
    OMS_ADMIN_EMAIL: '',
    OMS_ADMIN_PASSWORD: '',
    LOG_LEVEL: process.env.LOG_LEVEL || 'warn',
  });
  // The demo's accounts include the first administrator.
  const service = await boot({
    localFrontends: true,
    announce: () => undefined,
  });
  process.stdout.write(await furnish(service, dataDir));
  return service;
}

/** Makes what is not there yet. @returns what to print */
async function furnish(service: Service, dataDir: string): Promise<string> {
  const accounts = await makeAccounts(service, join(dataDir, 'passwords.json'));
  await makeSettings(service);
  await makeRecords(service, dataDir, accounts);
  await makeOrgs(service, accounts);
  await makeCollaborations(service, accounts);
  await obscureElephants(service, accounts.moderator.caller);
  // The address under which cookies and images work beside frontends on localhost, not the one that is listened on.
  return welcome(readEnvironment().publicUrl, dataDir, accounts, {
    individual: await makeFamily(service, accounts.user),
    encounter: await anEncounter(service),
    org: await anOrg(service),
    elephant: await readElephant(service, accounts),
    hidden: await countHidden(service),
  });
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
