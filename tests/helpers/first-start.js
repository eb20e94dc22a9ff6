/**
 * The first start of a service, whose database is the template of the tests' databases (`template.ts`,
 * `scripts/faults.mjs`). Tests that are not about the date on which strangers are told of something
 * (`location-privacy/telling.ts`) begin with a site that tells at once. Run in the app's folder.
 */
const { join } = require('node:path');
const { boot } = require(join(process.cwd(), 'dist/src/boot/boot.js'));

boot({ listen: false }).then(async (service) => {
  await service.strapi.db.connection('site_settings').update({ tell_hidden: 'at_once' });
  await service.close();
});
