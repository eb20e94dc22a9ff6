/** Many encounters of one individual, and reads beside what is done with them. */
import { randomUUID } from 'node:crypto';
import type { Headers } from '../../helpers/history';
import type { Json } from '../../helpers/json';
import type { World } from '../../helpers/world';

/** Copies rows of encounters, each with an ID of its own. */
export async function copyEncounters(
  { service: { strapi } }: World,
  ids: readonly string[],
  copies: number,
): Promise<void> {
  const knex = strapi.db.connection;
  const info = await knex('encounters').columnInfo();
  const columns = Object.keys(info).filter((name) => !['id', 'document_id'].includes(name));
  const rows = await knex('encounters').whereIn('document_id', ids).select(columns);
  const all = rows.flatMap((row: Json) =>
    Array.from({ length: copies }, () => ({ ...row, document_id: randomUUID() })),
  );
  await knex.batchInsert('encounters', all, 200);
}

/** Reads again and again while something is done. @returns how many reads were answered */
export async function readsBeside(
  world: World,
  reading: { readonly url: string; readonly headers: Headers },
  work: () => Promise<void>,
): Promise<number> {
  let [isDone, count] = [false, 0];
  const done = work().finally(() => (isDone = true));
  while (!isDone) {
    const { status } = await world.send({ method: 'GET', ...reading });
    if (status === 200) count += 1;
  }
  await done;
  return count;
}
