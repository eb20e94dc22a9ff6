/** From which figures on an installation needs somebody: for `npm run doctor` and the panel's first page. */

/** The part of a file system below which writes may soon fail. */
export const LITTLE_ROOM = 0.15;

/** Milliseconds for which a mail may wait. */
export const MAIL_WAITS = 3_600_000;

/** Milliseconds after which a backup is too old: each day, with the time that it takes. */
export const BACKUP_AGE = 26 * 3_600_000;

/** A job that has failed so many times in a row needs somebody. */
export const FAILED_RUNS = 2;

/** The part of the connections that PostgreSQL takes above which others may be refused. */
export const MANY_CONNECTIONS = 0.8;

/** The part of the row IDs that are used, above which there has to be a plan. */
export const MANY_ROW_IDS = 0.5;
