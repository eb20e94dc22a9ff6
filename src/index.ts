import type { Core } from '@strapi/strapi';
import { join } from 'node:path';
import { addAccountPages } from './api/authentication/pages/account-pages';
import { decisionsIn } from './api/encounter/decision-mail';
import { hiddenChange } from './api/encounter/hidden-change';
import { hiddenNow } from './api/encounter/hidden-now';
import { waitingNow } from './api/encounter/waiting-now';
import { changedLately } from './api/history/changed-lately';
import { openSiteSettings } from './api/site-settings/setup';
import { eraseAgain, noteErased } from './boot/backup/erased';
import { backupJob } from './boot/backup/schedule';
import { readEnvironment, VARIABLE_NAMES, type Environment } from './boot/environment';
import { tellHiddenWhenComputed } from './boot/tell-hidden';
import { prepareFirstAdministrator } from './boot/first-administrator';
import { installationNow } from './boot/installation-now';
import { openInstallation, refuseOtherSecret, type Accepted } from './boot/installation';
import { lifecycleOf } from './boot/lifecycle';
import type { Metrics } from './boot/metrics/metrics';
import type { Tracing } from './boot/tracing/tracing';
import { readiness } from './boot/readiness';
import { OLD_NODE, oldNode } from './boot/node-release';
import { followRelease, markRelease, refuseNewerDatabase, releaseVersion } from './boot/release';
import { toldUnknown, unknownVariables } from './boot/unknown-variables';
import { lockDatabase } from './boot/writer-lock';
import { addDocs } from './endpoints/docs/serve';
import { loadResources } from './endpoints/load-resources';
import { createLoginCheck, createRightsCheck } from './endpoints/login-check';
import { accountsOf } from './plugins/accounts/server';
import { frontendsOf } from './plugins/accounts/server/frontends';
import { assetsOf } from './plugins/assets/server';
import { afterSync, databaseOf, jobsOf, registryOf, siteOf } from './plugins/objects/server';
import { clockOf } from './plugins/objects/server/clock';
import { preparePanel } from './plugins/panel/server';
import { wireOf } from './plugins/wire/server';
import type { Checks } from './plugins/wire/server/health';
import type { Measures } from './plugins/wire/server/log';

type Context = { strapi: Core.Strapi };

export default {
  /** Before the database opens. */
  async register({ strapi }: Context): Promise<void> {
    lockDatabase(strapi);
    const distDir = strapi.dirs.dist.root;
    // `boot()` has asked already; `strapi develop` and `strapi console` have not.
    await refuseNewerDatabase(strapi.db.connection, distDir);
    await refuseOtherSecret(strapi.db.connection, readEnvironment(), acceptedBy(strapi));
    afterSync(strapi, () => markRelease(strapi.db.connection, distDir));
    registryOf(strapi).declare(
      await loadResources(join(strapi.dirs.dist.src, 'api')),
      releaseVersion(),
    );
    addAccountPages(strapi);
    addDocs(strapi);
  },

  /** Before the port opens. */
  async bootstrap({ strapi }: Context): Promise<void> {
    const environment = readEnvironment();
    const isServer = strapi.config.get<boolean>('oms.listens', true);
    const accepted = acceptedBy(strapi);
    if (isServer) warnOfMachine(strapi);
    const storage = await openInstallation(strapi, environment, { isServer, accepted });
    await openSiteSettings(strapi, environment);
    const checks = readiness(strapi, environment, storage);
    await preparePanel(strapi, {
      hiddenNow: (signal) => hiddenNow(strapi, signal),
      hiddenChange: (proposed, signal) => hiddenChange(strapi, proposed, signal),
      waitingNow: (caller, signal) => waitingNow(strapi, caller, signal),
      changedLately: (since, caller, signal) => changedLately(strapi, since, caller, signal),
      installationNow: () => installationNow(strapi, environment, checks),
      mapTiles: environment.mapTiles,
    });
    await prepareFirstAdministrator(strapi, environment);
    const accounts = accountsOf(strapi);
    noteErased(strapi, environment.dataDir);
    accounts.tellDecisions((mail) => decisionsIn(mail, clockOf(strapi)()));
    if (isServer) {
      await eraseAgain(strapi, environment.dataDir);
      await assetsOf(strapi).start();
      await startJobs(strapi, environment);
      await tellHiddenWhenComputed(strapi);
      if (databaseOf(strapi).isShared) followReleaseOf(strapi);
    }
    wireOf(strapi).open({
      identify: accounts.identify,
      admit: createLoginCheck(strapi),
      hasRights: createRightsCheck(strapi),
      limit: (request) => accounts.limits().check(request),
      maxUpload: () => siteOf(strapi).current().maxUploadBytes,
      checks,
      frontends: frontendsOf(strapi),
      measures: isServer ? await openMetrics(strapi, environment, checks) : null,
      tracer: strapi.config.get<Tracing | null>('oms.tracer', null)?.requests ?? null,
    });
  },

  /** After the last request; the plugins are destroyed before. */
  destroy({ strapi }: Context): void {
    strapi.config.get<Metrics | null>('oms.metrics', null)?.close();
  },
};

/** What the caller of `boot` accepts; nothing in `strapi develop`. */
const acceptedBy = (strapi: Core.Strapi): Accepted =>
  strapi.config.get<Accepted>('oms.accepted', {});

/** What a start notices of the machine, and starts nevertheless. */
function warnOfMachine({ log }: Core.Strapi): void {
  for (const one of unknownVariables(process.env, VARIABLE_NAMES)) log.warn(toldUnknown(one));
  if (oldNode(process.version)) log.warn(OLD_NODE);
}

/** The plugins have added theirs. */
async function startJobs(strapi: Core.Strapi, { backup }: Environment): Promise<void> {
  const [jobs, database] = [jobsOf(strapi), databaseOf(strapi)];
  if (backup) jobs.add(backupJob(backup, { database, log: strapi.log, clock: Date.now }));
  await jobs.start();
}

/** Loaded only where the operator has opened a door to metrics. */
async function openMetrics(
  strapi: Core.Strapi,
  environment: Environment,
  checks: Checks,
): Promise<Measures | null> {
  const { port, token } = environment.metrics;
  if (port === null && token === null) return null;
  const { createMetrics, PATH } = await import('./boot/metrics/metrics.js');
  const metrics = createMetrics(strapi, environment, checks);
  strapi.config.set('oms.metrics', metrics);
  if (port === null) wireOf(strapi).addPage(PATH, metrics.page);
  return metrics.measures;
}

function followReleaseOf(strapi: Core.Strapi): void {
  const { number } = registryOf(strapi).projections();
  followRelease(databaseOf(strapi), strapi.dirs.dist.root, number, {
    lifecycle: lifecycleOf(strapi),
    report: (message) => strapi.log.error(message),
    stop: () => jobsOf(strapi).stop(),
  });
}
