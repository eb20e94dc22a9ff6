import { backgroundOf } from '#app/plugins/objects/server';
import type { TestService } from './service';

/** Waits until nothing is left to be done in the background, without the delay for other servers. */
export async function settle({ strapi }: Pick<TestService, 'strapi'>): Promise<void> {
  await strapi.db.connection('oms_privacy_jobs').update({ due_at: 0 });
  await backgroundOf(strapi).workOff();
}
