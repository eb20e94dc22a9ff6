/** A service of its own, with an empty database, into which a truth is brought and which is attacked. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as generalizing from '../../src/api/encounter/domain/generalize';
import { changeSettings } from '../../src/api/site-settings/setup';
import { boot, type Service } from '../../src/boot/boot';
import { service as itself } from '../../src/core/caller';
import { makeAccount } from '../../src/plugins/accounts/server/users/make';
import type { ImportService } from '../../src/plugins/exchange/server';
import { backgroundOf, objectsOf, registryOf } from '../../src/plugins/objects/server';
import type { Body } from '../../src/plugins/objects/server/declare/objects';
import { createApi } from './api';
import type { Inside } from './doors';
import type { Stage } from './stage';

export interface Field extends Stage {
  readonly inside: Inside;
  readonly set: (site: Body) => Promise<unknown>;
  close(): Promise<void>;
}

/** Milliseconds after which a month has ended, whatever day it is. */
const MONTH = 31 * 24 * 3_600_000;

const PASSWORD = 'what an attacker does not know';

/** @param hasOneOwner whether all records are of one account, or those of each home of their own */
export async function openField(hasOneOwner: boolean): Promise<Field> {
  const dataDir = mkdtempSync(join(tmpdir(), 'oms-attacked-'));
  Object.assign(process.env, {
    OMS_DATA_DIR: dataDir,
    DATABASE_CLIENT: 'sqlite',
    DATABASE_URL: '',
    SMTP_URL: '',
    OMS_ADMIN_EMAIL: '',
    PUBLIC_URL: '',
    LOG_LEVEL: 'error',
    LIMIT_READS: '0',
    HOST: '127.0.0.1',
    PORT: '0',
  });
  let ahead = 0;
  const service = await boot({ announce: () => undefined, clock: () => Date.now() + ahead });
  const { strapi } = service;
  const url = service.url ?? '';
  const imports = strapi.plugin('exchange').service<ImportService>('import');
  const owners = new Map<string, Promise<string>>();
  return {
    api: createApi(url, await administrator(service, url)),
    async import(file, owner) {
      await imports.run(file, { owner, report: join(dataDir, 'import.csv'), strict: true });
    },
    settle: () => settle(service),
    nextMonth() {
      ahead += MONTH;
      return settle(service);
    },
    ownerOf({ name }) {
      const key = hasOneOwner ? 'all' : name;
      const owner = owners.get(key) ?? makeOwner(service, key);
      owners.set(key, owner);
      return owner;
    },
    inside: {
      resources: registryOf(strapi).model().resources,
      generalizing,
      run: (statement) => strapi.db.connection.raw(statement),
    },
    set: (site) => changeSettings(strapi, site),
    async close() {
      await service.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The header of an administrator who has logged in. */
async function administrator(
  { strapi }: Service,
  url: string,
): Promise<Readonly<Record<string, string>>> {
  const email = 'keeper@example.org';
  const account = { name: 'Keeper', email, password: PASSWORD, role: 'administrator' } as const;
  await makeAccount(objectsOf(strapi), account);
  const answer = await fetch(`${url}/api/v0/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: email, password: PASSWORD }),
  });
  const { response } = (await answer.json()) as { response: { cookie: string } };
  return { Authorization: `Bearer ${response.cookie}` };
}

/** An account that nobody can log in with. */
async function makeOwner({ strapi }: Service, name: string): Promise<string> {
  const { id } = await objectsOf(strapi).write(
    {
      op: 'create',
      type: 'user',
      body: { name, email: `${name}@example.org`, role: 'user' },
      set: { password: null, email_verified: true },
    },
    itself,
  );
  return id;
}

/** What changes leave to be done is due at once. */
async function settle({ strapi }: Service): Promise<void> {
  await strapi.db.connection('oms_privacy_jobs').update('due_at', 0);
  await backgroundOf(strapi).workOff();
}
