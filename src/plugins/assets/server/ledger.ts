/**
 * The list of files to be removed unless a row refers to them. Files are added before they are written, and in the
 * transaction that deletes an asset, so that the files of a crash are always on the list.
 */
import { fail } from '../../../core/errors';
import { raw, sql } from '../../objects/server/database/sql';
import { ask, askOne, type Work } from '../../objects/server/database/work';
import type { Consequence } from '../../objects/server/declare/behavior';
import { SITE_TYPE } from '../../objects/server/site/settings';
import { isSiteMedia } from './uses';

/** Milliseconds that an upload may take from its files to its row. */
export const GRACE = 60 * 60_000;

/** Adds files without a row. @param files the name that they have in common */
export function* expectFiles(files: string, dueAt: number): Work<void> {
  yield* ask(sql`insert into oms_asset_files (files, due_at) values (${files}, ${dueAt})`);
}

/** Takes removed files off the list. */
export function* forgetFiles(files: string): Work<void> {
  yield* ask(sql`delete from oms_asset_files where files = ${files}`);
}

/**
 * Selects a limited number of files that are due to be removed: none while a backup reads files. What is due before its
 * pause was deleted before its copy of the database, in one statement with the question whether there is one.
 */
export const dueFiles = (now: number) =>
  sql`select files from oms_asset_files where due_at <= ${now}
    and not exists (select 1 from oms_pauses where until > ${Date.now()}) order by due_at limit ${raw('100')}`;

/** Postpones files that could not be removed. */
export function* postponeFiles(files: string, dueAt: number): Work<void> {
  yield* ask(sql`update oms_asset_files set due_at = ${dueAt} where files = ${files}`);
}

/** Makes all files due, at the start of the only process that writes: no upload can be in progress then. */
export function* allFilesAreDue(): Work<void> {
  yield* ask(sql`update oms_asset_files set due_at = 0`);
}

/**
 * Creating a row takes its files off the list, deleting it puts them on the list.
 *
 * @throws ApiError UNAVAILABLE for files that have been removed, IN_USE for files in use
 */
export const keepFiles: Consequence = function* ({ op, id, before, after }, { now }) {
  if (op === 'create') {
    const files = String(after?.['file_key']);
    const kept = yield* askOne(
      sql`delete from oms_asset_files where files = ${files} returning files`,
    );
    if (!kept) throw fail('UNAVAILABLE', {}, { 'Retry-After': '1' });
  }
  if (op === 'delete') {
    const used = yield* askOne(sql`select 1 where ${isSiteMedia(sql`cast(${id} as text)`)}`);
    if (used) throw fail('IN_USE', { type: SITE_TYPE, count: 1 });
    yield* expectFiles(String(before?.['file_key']), now);
  }
};
