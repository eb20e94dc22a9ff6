/** The description of a call: what it is for, what holds for all calls of its kind, and who may make it. */
import type { Resources } from '../../plugins/objects/server/declare/completed';
import type { AnyOperation } from '../operations';
import { rightsSentence } from '../rights-text';
import { OF_FILTERS } from './search';

type Kind = Exclude<AnyOperation['kind'], 'action' | 'document'>;

/** What holds for the calls of each kind. */
const OF_KIND: Readonly<Record<Kind, string>> = {
  create: 'Answers the ID; with an `id` of your own it can safely be sent twice.',
  read: 'Show the buttons that `permissions` names.',
  update:
    'An absent field stays, `null` clears, lists are replaced whole; without `If-Match` the last one wins.',
  delete: 'It cannot be undone.',
  act: 'Moves version and history as an update.',
  history: 'The newest first, by `cursor`, with what the caller may see.',
  file: 'Ranges and `If-None-Match` work as for any file.',
};

/** What holds for calls that answer what a search finds. */
const OF_SEARCHES: Readonly<Record<string, string>> = {
  search: '`matches` has IDs: `expand=true` adds the objects, `cursor` leads to the next page.',
  export: 'The parameters of the search, without pages; one that breaks off is not complete.',
  suggest:
    'Each object once, the best first: names that begin so, last those with a typo; call it when typing pauses.',
};

/** What holds for many calls, told once: the text of the whole document. */
export const OF_MANY_CALLS = `## Creating and changing

Send an \`id\` of your own when you create (a UUID of version 4): after a lost answer the same call makes no second object, but
is refused with \`ENTITY_EXISTS\`. A list or an object that is absent then, or null at any time, becomes empty. Send the
\`ETag\` that was read as \`If-Match\` with a change: it is refused with 412 when somebody else has changed the object meanwhile.

## Reading

What the caller may not see is absent. The description of a schema names the fields that only some roles see; the relation to the
object that a role needs is in parentheses. A caller who is shown the place and time of an encounter in general terms gets a view
of it, \`obscured\` or \`private\`.

## Searching

${OF_FILTERS}

## Suggestions

First come names that are \`q\`, then names that begin with it, then names with a word that does, and only where these are fewer
than \`limit\` those with one typo: a letter wrong, missing or added, or two neighbors swapped. Drop the answer to what is typed no
longer. Nothing is suggested that a search does not find for the same caller.`;

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
