/** The OpenAPI description of the history. */
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../../plugins/objects/server/read/paging';
import type { HistoryOperation } from '../operations';
import { answerSchema, pascalCase, ref, success, UUID, whole } from './envelope';
import { ID_PARAMETER, queryParameter } from './parameters';

const value = (description: string): JsonSchema => ({ description });

/** An entry of the history. */
export const HISTORY_ENTRY: JsonSchema = {
  description: 'One change of one object.',
  ...whole({
    id: { ...UUID, description: 'The ID of the entry.' },
    object: { type: 'string', description: 'The ID of the object; the name of a limit.' },
    type: { type: 'string', description: 'The type of the object, or `limit`.' },
    at: { type: 'string', format: 'date-time', description: 'When it was made, UTC.' },
    version: { type: 'integer', description: 'Of the object after the change; 0 of a limit.' },
    action: {
      type: 'string',
      description:
        '`create`, `update`, `delete`, an action of the type, or `exceed` for a limit that a caller has reached.',
    },
    actor: {
      description: 'Who made the change.',
      ...whole({
        kind: {
          type: 'string',
          enum: ['user', 'import', 'system'],
          description: 'A person, an import, or the service itself.',
        },
        id: {
          type: ['string', 'null'],
          format: 'uuid',
          description: 'The user; null without an account, and of one that has been deleted.',
        },
        name: {
          type: ['string', 'null'],
          description: 'What it was called then; null where it had no name, or has been deleted.',
        },
      }),
    },
    changes: {
      type: 'array',
      description:
        'The fields that this caller sees. Empty where it sees none of those that changed.',
      items: {
        type: 'object',
        required: ['path'],
        properties: {
          path: { type: 'string', description: 'The field.' },
          before: value(
            'Its value before; null in place of a reference to what the caller may not read. Absent of a password, as is the value after.',
          ),
          after: value('Its value after, in the same way.'),
        },
      },
    },
  }),
};

/** The content of `response`. */
export const HISTORY: JsonSchema = whole({
  history: {
    type: 'array',
    items: ref('HistoryEntry'),
    maxItems: MAX_LIMIT,
    description:
      'The newest first. It may have fewer entries than `limit`, even none, where more follow: entries are large, or few of very many meet the filters.',
  },
  next: {
    type: ['string', 'null'],
    description: 'The `cursor` of the next page; null at the end.',
  },
});

/** That, by its name. */
export const HISTORY_RESPONSE: JsonSchema = ref('History');

/** The parameters of a page. */
export const PAGE_PARAMETERS: readonly JsonSchema[] = [
  queryParameter(
    'limit',
    { type: 'integer', minimum: 1, maximum: MAX_LIMIT },
    `How many entries at most; ${DEFAULT_LIMIT} where nothing is said.`,
  ),
  queryParameter('cursor', { type: 'string' }, 'The `next` of the page before.'),
];

/** @param refusals the responses of refusals */
export const describeHistory = ({ type }: HistoryOperation, refusals: JsonSchema): JsonSchema => ({
  operationId: `read${pascalCase(type)}History`,
  tags: [type],
  summary: `Read who changed what of one ${type}, and when`,
  parameters: [ID_PARAMETER, ...PAGE_PARAMETERS],
  responses: {
    200: {
      description: 'Done.',
      content: answerSchema(success(HISTORY_RESPONSE)),
    },
    ...refusals,
  },
});
