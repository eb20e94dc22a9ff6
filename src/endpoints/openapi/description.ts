/** The description of a call: what it is for, what holds for all calls of its kind, and who may make it. */
import type { Resources } from '../../plugins/objects/server/declare/completed';
import type { AnyOperation } from '../operations';
import { rightsSentence } from '../rights-text';
import { OF_FILTERS } from './search';

type Kind = Exclude<AnyOperation['kind'], 'action' | 'document'>;

/** What holds for the calls of each kind. */
const OF_KIND: Readonly<Record<Kind, string>> = {
  create:
    'Answers the ID alone. Send an `id` of your own (a UUID of version 4): after a lost answer the same call makes no second object, but is refused with `ENTITY_EXISTS`.',
  read: '`include` adds summaries of what it refers to, `fields` cuts it, and what the caller may not see is absent. Show the buttons that `permissions` names.',
  update:
    'An absent field stays, `null` clears, a list is replaced as a whole. Send the `ETag` that was read as `If-Match`, or you overwrite what somebody else has changed meanwhile.',
  delete: 'It cannot be undone, and takes the references to it with it.',
  act: 'Version and history move as by an update.',
  history: 'The newest first, by `cursor`, with the changes of fields that the caller may see.',
  file: 'Ranges and `If-None-Match` work as for any file.',
};

/** What holds for calls that answer what a search finds. */
const OF_SEARCHES: Readonly<Record<string, string>> = {
  search: `${OF_FILTERS} \`matches\` has IDs: \`expand=true\` adds the objects, and \`cursor\` goes on to the next page.`,
  export:
    'The parameters are those of the search, without pages. It is streamed: one that breaks off in the middle is not complete.',
  suggest:
    'First come names that are `q`, then names that begin with it, then names with a word that does, and only where these are fewer than `limit` those with one typo: a letter wrong, missing or added, or two neighbors swapped. Call it when typing pauses, and drop the answer to what is typed no longer. It suggests nothing that a search does not find for the same caller.',
};

/** @returns two to five sentences, in paragraphs */
export function describeCall(operation: AnyOperation, resources: Resources): string {
  const { about = null } = operation;
  return [about, generalText(operation), rightsOf(operation, resources)]
    .filter((text) => text !== null)
    .join('\n\n');
}

function generalText(operation: AnyOperation): string | null {
  if (operation.kind === 'document') return null;
  if (operation.kind !== 'action') return OF_KIND[operation.kind];
  const [, kind = ''] = /^(search|export|suggest)/.exec(operation.name) ?? [];
  return operation.reads === undefined ? null : (OF_SEARCHES[kind] ?? null);
}

/** Calls without a row say in their own text who may make them. */
function rightsOf(operation: AnyOperation, resources: Resources): string | null {
  if (operation.kind === 'document' || operation.kind === 'action') return null;
  const right = operation.kind === 'act' ? operation.action : operation.kind;
  const row = resources.get(operation.type)?.rights.get(right === 'file' ? 'read' : right);
  return row ? rightsSentence(row) : null;
}
