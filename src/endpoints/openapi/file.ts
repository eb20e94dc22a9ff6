/** The OpenAPI description of a call that answers with bytes. */
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import type { FileOperation } from '../operations';
import { bytes } from './envelope';
import { header, ID_PARAMETER } from './parameters';
import { ETAG, IF_NONE_MATCH, UNCHANGED } from './standard';

const RANGE = header(
  'Range',
  'One range of bytes (RFC 9110, section 14); of several, all is answered.',
);
const IF_RANGE = header('If-Range', 'The ETag of the part that is there already.');

const DISPOSITION = {
  'Content-Disposition': {
    required: true,
    schema: { type: 'string' },
    description: 'The name to keep it under.',
  },
  'Accept-Ranges': { required: true, schema: { type: 'string', const: 'bytes' } },
};

const CONTENT_RANGE = {
  'Content-Range': {
    required: true,
    schema: { type: 'string' },
    description: 'Which of how many.',
  },
};

export function describeFile(
  { name, type, summary, parameters, mediaTypes }: FileOperation,
  refusals: JsonSchema,
): JsonSchema {
  const content = bytes(mediaTypes);
  const headers = { ...ETAG, ...DISPOSITION };
  return {
    operationId: name,
    tags: [type],
    summary,
    parameters: [ID_PARAMETER, IF_NONE_MATCH, RANGE, IF_RANGE, ...parameters],
    responses: {
      200: { description: 'All of it.', headers, content },
      206: { description: 'A part of it.', headers: { ...headers, ...CONTENT_RANGE }, content },
      304: UNCHANGED,
      ...refusals,
    },
  };
}
