import type { Service } from '#app/boot/boot';
import { testDatabase } from './database';

type Knex = Service['strapi']['db']['connection'];

/** Milliseconds since 1970, in the year 2286. */
const LATE = 9_999_999_999_999;

const MAKE = {
  sqlite: [
    `create trigger held after insert on oms_privacy_jobs
      begin update oms_privacy_jobs set due_at = ${LATE}; end`,
  ],
  postgres: [
    `create function hold() returns trigger language plpgsql as
      'begin new.due_at = ${LATE}; return new; end'`,
    'create trigger held before insert on oms_privacy_jobs for each row execute function hold()',
  ],
};
const DROP = {
  sqlite: ['drop trigger held'],
  postgres: ['drop function hold() cascade'],
};

/** Runs tests while the jobs that changes leave are waiting. Afterwards they are still there, with a time far ahead. */
export async function withHeldJobs(knex: Knex, body: () => Promise<void>): Promise<void> {
  for (const statement of MAKE[testDatabase]) await knex.raw(statement);
  try {
    await body();
  } finally {
    for (const statement of DROP[testDatabase]) await knex.raw(statement);
  }
}
