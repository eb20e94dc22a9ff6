import type { Core } from '@strapi/strapi';
import { join } from 'node:path';
import { addAccountPages } from './api/authentication/pages/account-pages';
import { decisionsIn } from './api/encounter/decision-mail';
import { hiddenNow } from './api/encounter/hidden-now';
import { openSiteSettings } from './api/site-settings/setup';
import { eraseAgain, noteErased } from './boot/backup/erased';
import { readEnvironment } from './boot/environment';
import { tellHiddenWhenComputed } from './boot/tell-hidden';
import { prepareFirstAdministrator } from './boot/first-administrator';
import { lifecycleOf } from './boot/lifecycle';
import { readiness } from './boot/readiness';
import { followRelease, markRelease, refuseNewerDatabase } from './boot/release';
import { lockDatabase } from './boot/writer-lock';
import { addDocs } from './endpoints/docs/serve';
import { loadResources } from './endpoints/load-resources';
import { createLoginCheck, createRightsCheck } from './endpoints/login-check';
import { accountsOf } from './plugins/accounts/server';
import { frontendsOf } from './plugins/accounts/server/frontends';
import { assetsOf } from './plugins/assets/server';
import { afterSync, backgroundOf, databaseOf, registryOf, siteOf } from './plugins/objects/server';
import { clockOf } from './plugins/objects/server/clock';
import { preparePanel } from './plugins/panel/server';
import { wireOf } from './plugins/wire/server';

type Context = { strapi: Core.Strapi };

export default {
  /** Before the database opens. */
  async register({ strapi }: Context): Promise<void> {
    lockDatabase(strapi);
    const distDir = strapi.dirs.dist.root;
    // `boot()` has asked already; `strapi develop` and `strapi console` have not.
    await refuseNewerDatabase(strapi.db.connection, distDir);
    afterSync(strapi, () => markRelease(strapi.db.connection, distDir));
    registryOf(strapi).declare(await loadResources(join(strapi.dirs.dist.src, 'api')));
    addAccountPages(strapi);
    addDocs(strapi);
  },

  /** Before the port opens. */
  async bootstrap({ strapi }: Context): Promise<void> {
    const environment = readEnvironment();
    await openSiteSettings(strapi, environment);
    await preparePanel(strapi, { hiddenNow: (signal) => hiddenNow(strapi, signal) });
    await prepareFirstAdministrator(strapi, environment);
    const accounts = accountsOf(strapi);
    noteErased(strapi, environment.dataDir);
    accounts.tellDecisions((mail) => decisionsIn(mail, clockOf(strapi)()));
    if (strapi.config.get<boolean>('oms.listens', true)) {
      await eraseAgain(strapi, environment.dataDir);
      accounts.start();
      backgroundOf(strapi).start();
      await tellHiddenWhenComputed(strapi);
      assetsOf(strapi).start();
      if (databaseOf(strapi).isShared) followReleaseOf(strapi);
    }
    wireOf(strapi).open({
      identify: accounts.identify,
      admit: createLoginCheck(strapi),
      hasRights: createRightsCheck(strapi),
      limit: (request) => accounts.limits().check(request),
      maxUpload: () => siteOf(strapi).current().maxUploadBytes,
      checks: readiness(strapi, environment),
      frontends: frontendsOf(strapi),
    });
  },
};

function followReleaseOf(strapi: Core.Strapi): void {
  followRelease(databaseOf(strapi), strapi.dirs.dist.root, {
    lifecycle: lifecycleOf(strapi),
    report: (message) => strapi.log.error(message),
    async stop() {
      assetsOf(strapi).stop();
      await Promise.all([accountsOf(strapi).stop(), backgroundOf(strapi).close()]);
    },
  });
}
