import { backgroundOf, databaseOf, registryOf } from '#app/plugins/objects/server';
import { workOff } from '#app/plugins/objects/server/write/kept';
import type { TestService } from './service';

type Running = Pick<TestService, 'strapi'>;

/** Waits until nothing is left to be done in the background, without the delay for other servers. */
export async function settle({ strapi }: Running): Promise<void> {
  await strapi.db.connection('oms_privacy_jobs').update({ due_at: 0 });
  await backgroundOf(strapi).workOff();
}

/** A part of what is left to be done for what is kept of a type, by its name. */
export interface Part {
  readonly type: string;
  readonly kept: string;
  /** Objects that are done. */
  readonly most: number;
  /** When it is, for this part alone: such as `2031-01-10`; by default now. */
  readonly date?: string;
}

/** Does a part of it. @returns whether there may be more */
export async function doPart(
  { strapi }: Running,
  { type, kept, most, date }: Part,
): Promise<boolean> {
  const model = registryOf(strapi).model();
  const later = model.type(type).kept.find(({ name }) => name === kept)?.later;
  if (!later) throw new RangeError(`${type} leaves nothing to do for ${kept}`);
  const clock = date === undefined ? model.clock : () => Date.parse(date);
  return databaseOf(strapi).write(() => workOff({ ...model, clock }, later, most));
}
