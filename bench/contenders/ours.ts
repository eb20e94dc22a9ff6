/** The built app as it runs in production, open to everyone, with a custom field. */
import { boot } from '../../src/boot/boot';
import { SITE } from '../data/site';
import { serve } from './child';

void serve(async () => {
  const service = await boot({ anonymousActsAs: 'administrator', site: SITE });
  return { url: service.url ?? '', close: () => service.close() };
});
