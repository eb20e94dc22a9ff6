/** The plugin `accounts`: who asks, and what they may do. */
import type { Core } from '@strapi/strapi';
import { databaseOf, objectsOf, siteOf } from '../../objects/server';
import { afterSync } from '../../objects/server/database/own-tables';
import type { Credentials } from '../../wire/server/stages/origin';
import { Authentication } from './authentication/authentication';
import { anonymous, type Caller, type Role } from './caller';
import { createCourier, type Courier } from './mail/courier';
import { ensureMailTable } from './mail/outbox';
import { pluginTransport } from './mail/transport';
import { frontendOf } from './frontends';
import { openPanelDoor } from './panel';
import { Sessions } from './sessions/sessions';
import { ensureSessionTable } from './sessions/store';
import { createAddressReader } from './throttle/address';
import { Limits, type Allowed } from './throttle/limits';
import { ensureThrottleTable, sweepThrottles } from './throttle/throttle';
import { ensureTokenTable, sweepTokens } from './tokens/tokens';
import { CHANNEL } from './users/follow';
import { recipientOf } from './users/recipient';

type Context = { strapi: Core.Strapi };

export interface Accounts {
  /** Who asks. What no session has is nobody. @throws WireError UNAVAILABLE */
  readonly identify: (credentials: Credentials) => Caller | Promise<Caller>;
  readonly authentication: () => Authentication;
  readonly limits: () => Limits;
  readonly sessions: () => Sessions;
  /** Begins to send mails: in a service, not in a script that opens the database for something else. */
  start(): void;
  /** Called by the plugin itself. */
  open(): void;
  close(): Promise<void>;
}

/** The accounts of a running Strapi. */
export const accountsOf = (strapi: Core.Strapi): Accounts =>
  strapi.plugin('accounts').service('accounts');

/** What the configuration of the plugin holds. */
interface Config {
  readonly trustedProxies: readonly string[];
  readonly limits: Allowed;
}

interface Opened {
  readonly authentication: Authentication;
  readonly limits: Limits;
  readonly sessions: Sessions;
  readonly courier: Courier;
  close(): Promise<void>;
}

function createAccounts(strapi: Core.Strapi): Accounts {
  const nobody = anonymous(strapi.config.get<Role>('oms.anonymousActsAs', 'anonymous'));
  let opened: Opened | null = null;
  const get = (): Opened => {
    if (!opened) throw new Error('accounts are known after the bootstrap of the plugin "accounts"');
    return opened;
  };
  return {
    identify({ cookie, bearer }) {
      const secret = bearer ?? cookie;
      if (secret === null) return nobody;
      const found = get().sessions.callerOf(secret);
      return found instanceof Promise
        ? found.then((caller) => caller ?? nobody)
        : (found ?? nobody);
    },
    authentication: () => get().authentication,
    limits: () => get().limits,
    sessions: () => get().sessions,
    start: () => get().courier.start(),
    open() {
      opened = openAccounts(strapi);
    },
    async close() {
      await opened?.close();
      opened = null;
    },
  };
}

/** Milliseconds between two looks for what has expired. */
const SWEEP = 10 * 60_000;

function openAccounts(strapi: Core.Strapi): Opened {
  const { trustedProxies, limits } = strapi.config.get<Config>('plugin::accounts');
  const database = databaseOf(strapi);
  const report = (error: unknown): void => {
    strapi.log.warn(`accounts: ${error instanceof Error ? error.message : 'a failure'}`);
  };
  const sessions = new Sessions(database, report);
  sessions.start();
  database.listen(CHANNEL, (account) => sessions.forget(account));
  const courier = createCourier({
    database,
    recipient: recipientOf,
    transport: pluginTransport(strapi, strapi.log),
    settings: () => ({
      ...siteOf(strapi).current(),
      frontendUrl: frontendOf(strapi),
      publicUrl: strapi.config.get<string>('plugin::accounts.publicUrl'),
      siteName: 'Object Management Service',
    }),
    log: strapi.log,
    clock: Date.now,
  });
  objectsOf(strapi).onWritten((type, id) => {
    if (type !== 'user') return;
    sessions.forget(id);
    courier.wake();
  });
  const sweep = setInterval(() => {
    void database
      .write(function* () {
        yield* sweepThrottles(Date.now());
        yield* sweepTokens(Date.now());
      })
      .catch(report);
  }, SWEEP).unref();
  const addressOf = createAddressReader(trustedProxies, (message) => strapi.log.warn(message));
  return {
    sessions,
    courier,
    limits: new Limits(database, limits, addressOf, report),
    authentication: new Authentication({
      database,
      objects: objectsOf(strapi),
      sessions,
      site: () => siteOf(strapi).current(),
      wake: () => courier.wake(),
    }),
    async close() {
      clearInterval(sweep);
      await courier.stop();
      await sessions.stop();
    },
  };
}

export default {
  register({ strapi }: Context) {
    openPanelDoor(strapi);
    for (const ensure of [
      ensureSessionTable,
      ensureThrottleTable,
      ensureTokenTable,
      ensureMailTable,
    ])
      afterSync(strapi, () => ensure(strapi));
  },
  bootstrap({ strapi }: Context) {
    accountsOf(strapi).open();
  },
  async destroy({ strapi }: Context) {
    await accountsOf(strapi).close();
  },
  services: {
    accounts: ({ strapi }: Context): Accounts => createAccounts(strapi),
  },
};
