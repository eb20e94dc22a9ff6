/** The built app as it runs in production, open to everyone, with a custom field. */
import { changeSettings } from '../../src/api/site-settings/setup';
import { boot } from '../../src/boot/boot';
import { SITE } from '../data/site';
import { serve } from './child';

void serve(async () => {
  const anonymousActsAs =
    process.env.BENCH_ANONYMOUS === 'anonymous' ? 'anonymous' : 'administrator';
  const service = await boot({ anonymousActsAs });
  await changeSettings(service.strapi, SITE);
  return { url: service.url ?? '', close: () => service.close() };
});
