/**
 * Files that are to be removed, unless a row comes to have them: written down before files are, and in the transaction
 * that deletes an asset. Whatever a crash leaves behind is on the list.
 */
import { fail } from '../../../core/errors';
import { raw, sql } from '../../objects/server/database/sql';
import { ask, askOne, type Work } from '../../objects/server/database/work';
import type { Consequence } from '../../objects/server/define/behavior';
import { SITE_TYPE } from '../../objects/server/site';
import { isSiteMedia } from './uses';

/** Milliseconds that an upload has from its files to its row. */
export const GRACE = 60 * 60_000;

/** Files that nothing has yet. @param files the name that they have in common */
export function* expectFiles(files: string, dueAt: number): Work<void> {
  yield* ask(sql`insert into oms_asset_files (files, due_at) values (${files}, ${dueAt})`);
}

/** Files that are gone. */
export function* forgetFiles(files: string): Work<void> {
  yield* ask(sql`delete from oms_asset_files where files = ${files}`);
}

/** Files that are due to be removed, some of them. */
export const dueFiles = (now: number) =>
  sql`select files from oms_asset_files where due_at <= ${now} order by due_at limit ${raw('100')}`;

/** Files that could not be removed. */
export function* postponeFiles(files: string, dueAt: number): Work<void> {
  yield* ask(sql`update oms_asset_files set due_at = ${dueAt} where files = ${files}`);
}

/** Where only one process writes, no upload can be in progress when it starts. */
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
