/** Reads and parses the JSON body; refuses what is too large (413), of another media type (415) or malformed (400). */
import type { IncomingMessage } from 'node:http';
import { limitsOf, MAX_BODY, overloaded, type RequestAdmission } from '../admission';
import { fail, issue, malformed } from '../../../../core/errors';
import { FORM_TYPE, hasBody, JSON_TYPE, mediaTypeOf } from '../http';
import type { ApiRequest } from '../request';
import { Intake } from '../intake';
import { hasMoreValues } from '../json-values';
import { inspectJson } from '../../../../core/text';

/** The sender closed the connection while its request was read: there is nobody to answer. */
export class Gone extends Error {}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Reads and parses the body of a request that may have one. @throws ApiError, Gone */
export async function body(
  request: ApiRequest,
  admission: RequestAdmission,
  maxUpload: () => number,
): Promise<void> {
  const { headers } = request.req;
  if (!hasBody(request.req)) return;
  if (request.route?.config.operation.isMultipart) return checkForm(request.req, maxUpload());
  const limits = limitsOf(request);
  if (Number(headers['content-length'] ?? 0) > limits.bytes)
    throw fail('BODY_TOO_LARGE', { max: limits.bytes });
  checkMediaType(request.req);
  const bytes = await readAll(request, admission, limits.bytes);
  if (bytes.length > 0) request.body = parse(bytes, limits.values);
}

/** Of a form it is only looked at what it says of itself: it is read when it is known who sends it (`form.ts`). */
function checkForm(req: IncomingMessage, maxUpload: number): void {
  if (Number(req.headers['content-length'] ?? 0) > maxUpload + MAX_BODY)
    throw fail('BODY_TOO_LARGE', { max: maxUpload });
  const hasBoundary = /;\s*boundary=/i.test(req.headers['content-type'] ?? '');
  const encoding = req.headers['content-encoding'] ?? 'identity';
  if (mediaTypeOf(req) !== FORM_TYPE || !hasBoundary || encoding !== 'identity')
    throw fail('MEDIA_TYPE_NOT_ACCEPTED', { expected: FORM_TYPE });
}

function checkMediaType(req: IncomingMessage): void {
  const { headers } = req;
  const [, ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.find((parameter) => parameter.trim().startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset.trim());
  const encoding = headers['content-encoding'] ?? 'identity';
  if (mediaTypeOf(req) !== JSON_TYPE || !isUtf8 || encoding !== 'identity') {
    throw fail('MEDIA_TYPE_NOT_ACCEPTED', { expected: JSON_TYPE });
  }
}

/** Discards the rest of a refused body, so that the connection can be used for the next request. */
function readAll(request: ApiRequest, admission: RequestAdmission, max: number): Promise<Buffer> {
  const { req } = request;
  const intake = new Intake(admission.roomFor(request));
  request.intake = intake;
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer): void => {
      const isTooLarge = intake.size + chunk.length > max;
      if (!isTooLarge && intake.add(chunk)) return;
      req.off('data', take).resume();
      reject(isTooLarge ? fail('BODY_TOO_LARGE', { max }) : overloaded());
    };
    const gone = (): void => {
      // A request that was read to its end closes, too.
      if (!req.readableEnded) reject(new Gone('the sender has gone'));
    };
    req.on('data', take);
    req.once('end', () => resolve(intake.whole()));
    req.once('error', gone);
    req.once('close', gone);
  });
}

function parse(bytes: Buffer, max: number): unknown {
  if (hasMoreValues(bytes, max)) throw malformed([issue('', 'TOO_LONG', { max })]);
  const value = parseJson(bytes);
  const issues = inspectJson(value);
  if (issues.length > 0) throw malformed(issues);
  return value;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(decoder.decode(bytes)) as unknown;
  } catch {
    throw malformed([issue('', 'FORMAT', { expected: 'json' })]);
  }
}
