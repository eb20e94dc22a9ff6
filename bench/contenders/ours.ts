/** The built app as it runs in production, open to everyone, with a custom field. */
import { changeSettings } from '../../src/api/site-settings/setup';
import { boot } from '../../src/boot/boot';
import { SITE } from '../data/site';
import { serve } from './child';

void serve(async () => {
  const service = await boot({ anonymousActsAs: 'administrator' });
  await changeSettings(service.strapi, SITE);
  return { url: service.url ?? '', close: () => service.close() };
});
