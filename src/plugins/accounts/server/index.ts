/** The plugin `accounts`: users, sessions and credentials. */
import type { Core } from '@strapi/strapi';
import { randomInt } from 'node:crypto';
import { anonymous, type Caller, type Identity, type Role } from '../../../core/caller';
import { traceCalls, tracerOf } from '../../../core/tracer';
import { databaseOf, jobsOf, objectsOf, registryOf, siteOf } from '../../objects/server';
import { clockOf } from '../../objects/server/clock';
import { every, unwatched } from '../../objects/server/jobs/job';
import type { SiteSettings } from '../../objects/server/site/settings';
import type { SessionSecrets } from '../../wire/server/stages/origin';
import { Authentication } from './authentication/authentication';
import { Logins } from './authentication/login';
import { frontendOf } from './frontends';
import { createCourier, type Courier, type CourierOptions } from './mail/courier';
import { sendTestMail, type TestMail } from './mail/test-mail';
import { pluginTransport } from './mail/transport';
import { Hasher } from './passwords/hasher';
import { Sessions } from './sessions/sessions';
import { sweepSessions } from './sessions/store';
import { sweepCounters } from './throttle/counters';
import { Limits, type Allowed } from './throttle/limits';
import { Throttle } from './throttle/throttle';
import { sweepTokens } from './tokens/tokens';
import { CHANNEL } from './users/consequences';
import { Credentials } from './users/credentials';
import { recipientOf } from './users/recipient';

type Context = { strapi: Core.Strapi };

export interface Accounts {
  /** The caller of a request; anonymous without a valid session. @throws ApiError UNAVAILABLE */
  readonly identify: (secrets: SessionSecrets) => Identity | Promise<Identity>;
  readonly authentication: () => Authentication;
  readonly logins: () => Logins;
  readonly limits: () => Limits;
  readonly hasher: () => Hasher;
  readonly sessions: () => Sessions;
  /** Sends the mails that are due, as the job does it. */
  deliver(): Promise<void>;
  /** Tries the mail server with a mail to an account; null where it gets none. */
  testMail(account: string): Promise<TestMail | null>;
  /** Says what mails of decisions tell; once, before mails are sent. */
  tellDecisions(tell: CourierOptions['decisions']): void;
  /** Called by the plugin itself. */
  open(): void;
  close(): Promise<void>;
}

/** The accounts of a running Strapi. */
export const accountsOf = (strapi: Core.Strapi): Accounts =>
  strapi.plugin('accounts').service('accounts');

interface Opened {
  readonly authentication: Authentication;
  readonly logins: Logins;
  readonly limits: Limits;
  readonly hasher: Hasher;
  readonly sessions: Sessions;
  readonly courier: Courier;
  readonly mailing: CourierOptions;
}

function createAccounts(strapi: Core.Strapi): Accounts {
  const nobody = anonymous(strapi.config.get<Role>('oms.anonymousActsAs', 'anonymous'));
  let opened: Opened | null = null;
  let decisions: CourierOptions['decisions'] | null = null;
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
        ? found.then((identity) => identity ?? nobody)
        : (found ?? nobody);
    },
    authentication: () => get().authentication,
    logins: () => get().logins,
    limits: () => get().limits,
    hasher: () => get().hasher,
    sessions: () => get().sessions,
    deliver: () => get().courier.deliver(unwatched()),
    testMail: (account) => sendTestMail(get().mailing, account),
    tellDecisions(tell) {
      decisions = tell;
    },
    open() {
      opened = openAccounts(strapi, (mail) => {
        if (!decisions) throw new Error('nobody has said what mails of decisions tell');
        return decisions(mail);
      });
    },
    async close() {
      await opened?.sessions.stop();
      opened = null;
    },
  };
}

/** Milliseconds between two sweeps of expired rows. */
const SWEEP = 10 * 60_000;

/** The job that sends mails, and the milliseconds between two looks for those that another server has posted. */
const MAILS = 'mails';
const MAIL_LOOK = 5000;

/** The maximum random delay before a new mail is processed, in milliseconds. */
const MAIL_DELAY = 2000;

function openAccounts(strapi: Core.Strapi, decisions: CourierOptions['decisions']): Opened {
  const database = databaseOf(strapi);
  const objects = objectsOf(strapi);
  const site = (): SiteSettings => siteOf(strapi).current();
  const report = (error: unknown): void => {
    strapi.log.warn(`accounts: ${error instanceof Error ? error.message : 'a failure'}`);
  };
  const clock = clockOf(strapi);
  const jobs = jobsOf(strapi);
  const throttle = new Throttle(database, clock);
  const hasher = traceCalls(
    new Hasher(),
    ['hash', 'verify'],
    () => ({ name: 'hash password', kind: 'internal' }),
    tracerOf(strapi),
  );
  const sessions = new Sessions(database, report, clock);
  sessions.start();
  database.listen(CHANNEL, (account) => sessions.invalidate(account));
  const mailing = mailingOf(strapi, decisions);
  const courier = createCourier(mailing);
  // After a random delay: the time of the next requests must not tell whether an address belongs to an account.
  const wake = (): void => jobs.soon(MAILS, 1 + randomInt(MAIL_DELAY));
  const mayCreate = (caller: Caller): boolean =>
    registryOf(strapi).model().type('user').for(caller).access.extent('create') === 'all';
  const credentials = new Credentials({ database, hasher, throttle, mayCreate });
  objects.prepare('user', credentials.prepare);
  objects.onWritten((type, id) => {
    if (type !== 'user') return;
    sessions.invalidate(id);
    wake();
  });
  jobs.add(
    {
      name: MAILS,
      // Each mail is claimed by itself (`mail/outbox.ts`): a server that waits for a mail server delays no other mail.
      isLeased: false,
      next: every(MAIL_LOOK),
      run: (run) => courier.deliver(run),
    },
    {
      name: 'expired',
      isLeased: true,
      next: every(SWEEP),
      run: () =>
        database.write(function* () {
          yield* sweepCounters(clock());
          yield* sweepTokens(clock());
          yield* sweepSessions(clock());
        }),
    },
  );
  const logins = new Logins({ database, throttle, hasher });
  return {
    sessions,
    courier,
    mailing,
    hasher,
    logins,
    limits: new Limits(database, throttle, allowed(strapi), report, clock),
    authentication: new Authentication({
      database,
      objects,
      sessions,
      logins,
      credentials,
      hasher,
      throttle,
      site,
      clock,
      wake,
    }),
  };
}

const allowed = (strapi: Core.Strapi): Allowed =>
  strapi.config.get<Allowed>('plugin::accounts.limits');

const mailingOf = (
  strapi: Core.Strapi,
  decisions: CourierOptions['decisions'],
): CourierOptions => ({
  database: databaseOf(strapi),
  recipient: recipientOf,
  decisions,
  transport: traceCalls(
    pluginTransport(strapi, strapi.log),
    ['send'],
    () => ({ name: 'send mail', kind: 'client' }),
    tracerOf(strapi),
  ),
  settings: () => ({
    ...siteOf(strapi).current(),
    frontendUrl: frontendOf(strapi),
    publicUrl: strapi.config.get<string>('plugin::accounts.publicUrl'),
  }),
  log: strapi.log,
  clock: clockOf(strapi),
});

export default {
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
