import type { ValidateFunction } from 'ajv/dist/2020';
import { PARSER_STATUSES } from '#app/plugins/wire/server/client-errors';
import { createSchemaCompiler, type SchemaCompiler } from './closed-schema';
import { bytesOf, type Answer, type Request } from './http';
import { asObject, at, parsed, type Json } from './json';
import { messageFaults } from './message-catalog';
import {
  findPath,
  jsonSchema,
  methodsOf,
  parametersOf,
  resolve,
  responseOf,
  type DocumentedPath,
} from './openapi';

/**
 * Checks a request and its answer against the OpenAPI document and the contract's rules for every answer.
 *
 * @returns the violations, as sentences
 */
export type ContractChecker = (request: Request, answer: Answer) => string[];

const JSON_TYPE = 'application/json; charset=utf-8';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const VARY = ['authorization', 'cookie', 'origin'];
/** Names of Strapi and the database, which no answer may contain. */
const FORBIDDEN_NAMES = new Set([
  'stack',
  'documentId',
  'document_id',
  'createdAt',
  'updatedAt',
  'publishedAt',
  'published_at',
]);

interface Compiled {
  readonly document: Json;
  readonly compiler: SchemaCompiler;
  readonly validators: Map<string, ValidateFunction>;
}

/** What the test files of a worker, which share its process, have compiled of each document. */
const shared = process as typeof process & { compiledDocuments?: Map<string, Compiled> };

/** To compile the schemas takes longer than many a test file: once in a worker is enough. */
function compiledOf(document: Json): Compiled {
  shared.compiledDocuments ??= new Map();
  const key = JSON.stringify([document['paths'], document['components']]);
  const known = shared.compiledDocuments.get(key);
  if (known) return known;
  const compiled = { document, compiler: createSchemaCompiler(document), validators: new Map() };
  shared.compiledDocuments.set(key, compiled);
  return compiled;
}

/** @param document the parsed `GET /api/v0/openapi.json` */
export function createContractChecker(document: Json): ContractChecker {
  const compiled = compiledOf(document);
  return (request, answer) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const path = findPath(document, request.url.startsWith('/') ? pathOf(request.url) : pathname);
    return [
      ...everyAnswer(request, answer),
      ...(path ? ofPath(compiled, path, request, answer) : expectRefusal(request, answer, 404)),
    ];
  };
}

const pathOf = (url: string): string => url.split('?', 1)[0] ?? url;

/** What holds for every answer, documented or not. */
function everyAnswer({ method }: Request, answer: Answer): string[] {
  const { status, headers, text } = answer;
  const faults: string[] = [];
  const transactionId = headers['x-transaction-id'];
  if (typeof transactionId !== 'string' || !UUID.test(transactionId))
    faults.push(`X-Transaction-Id is ${String(transactionId)}`);
  const vary = String(headers['vary']).toLowerCase().split(/, */).sort();
  // What Node's parser refuses is the same for everybody.
  if (!PARSER_STATUSES.includes(status) && !VARY.every((name) => vary.includes(name)))
    faults.push(`Vary is ${vary.join(', ')}`);
  if (headers['x-content-type-options'] !== 'nosniff') faults.push('nosniff is missing');
  if (headers['x-powered-by'] !== undefined) faults.push('X-Powered-By is there');
  if (headers['cache-control'] === undefined) faults.push('Cache-Control is missing');
  if (status >= 400 && headers['cache-control'] !== 'no-store')
    faults.push(`a refusal has Cache-Control ${headers['cache-control']}`);
  if (status === 503 && headers['retry-after'] === undefined) faults.push('Retry-After is missing');
  if (method === 'HEAD' || status === 204 || status === 304) {
    if (text !== '') faults.push(`${method} ${status} has a body`);
    return faults;
  }
  const isStreamed = isBytes(answer) && headers['transfer-encoding'] === 'chunked';
  if (!isStreamed && headers['content-length'] !== String(answer.bytes.length))
    faults.push(`Content-Length is ${headers['content-length']}`);
  if (isBytes(answer)) return faults;
  if (headers['content-type'] !== JSON_TYPE)
    faults.push(`Content-Type is ${headers['content-type']}`);
  return [...faults, ...everyBody(answer)];
}

/** Whether an answer is bytes of a file, outside the envelope. */
export const isBytes = ({ status, headers }: Answer): boolean =>
  status < 300 &&
  /^(image\/|text\/csv|application\/(geo\+json|zip))/.test(headers['content-type'] ?? '');

function everyBody({ status, headers, text }: Answer): string[] {
  const body = parsed(text);
  if (body === undefined) return [`the body is no JSON: ${text.slice(0, 200)}`];
  const faults = strangeNames(body);
  if (at(body, 'success') === undefined) return faults;
  if (at(body, 'success') !== status < 400) faults.push(`success is wrong for ${status}`);
  if (at(body, 'transactionId') !== headers['x-transaction-id'])
    faults.push('transactionId differs from X-Transaction-Id');
  const key = at(body, 'message', 'key');
  if (typeof key === 'string')
    faults.push(...messageFaults(key, asObject(at(body, 'message', 'args')), 'request'));
  const invalid: unknown = at(body, 'response', 'invalid');
  if (status < 400 || !Array.isArray(invalid)) return faults;
  const told = invalid.map(asObject);
  return [
    ...faults,
    ...told.flatMap(({ key, args }) => messageFaults(String(key), asObject(args), 'field')),
  ];
}

/** Names that tell of the inside of the service, and IDs that are numbers. */
function strangeNames(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(strangeNames);
  return Object.entries(asObject(value)).flatMap(([name, entry]) => [
    ...(FORBIDDEN_NAMES.has(name) ? [`the name ${name} is there`] : []),
    ...(typeof entry === 'number' && /^id$|_id$/.test(name) ? [`${name} is a number`] : []),
    ...strangeNames(entry),
  ]);
}

/** Node reads the beginning of a request up to 16 KiB (https://nodejs.org/api/cli.html#--max-http-header-sizesize). */
const MOST_READ = 16_384;

/** Whether a request was refused before its address was known. Half: there are headers beside it. */
const isUnread = ({ url }: Request, { status }: Answer): boolean =>
  status === 431 && url.length > MOST_READ / 2;

function expectRefusal(request: Request, answer: Answer, expected: number): string[] {
  const { status, text } = answer;
  const isEnvelope = text === '' || at(parsed(text), 'success') === false;
  if (isEnvelope && (status === expected || isUnread(request, answer))) return [];
  return [`it is not documented, and answers ${status} instead of the envelope of ${expected}`];
}

function ofPath(
  compiled: Compiled,
  path: DocumentedPath,
  request: Request,
  answer: Answer,
): string[] {
  const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase();
  const operation = path.operations[method];
  const allow = isUnread(request, answer) ? [] : allowOf(path, answer);
  if (request.method === 'OPTIONS') return [...expectRefusal(request, answer, 204), ...allow];
  if (operation === undefined) return [...expectRefusal(request, answer, 405), ...allow];
  const faults = ofAnswer(compiled, `${method} ${path.template}`, asObject(operation), {
    request,
    answer,
  });
  if (answer.status >= 300) return faults;
  return [
    ...faults,
    ...ofRequest(compiled, method, path, asObject(operation), { request, answer }),
  ];
}

function allowOf(path: DocumentedPath, { headers }: Answer): string[] {
  const given = String(headers['allow']).split(', ').sort().join(', ');
  const expected = methodsOf(path).sort().join(', ');
  return given === expected ? [] : [`Allow is ${given}, not ${expected}`];
}

function validator(compiled: Compiled, key: string, compile: () => ValidateFunction) {
  const known = compiled.validators.get(key) ?? compile();
  compiled.validators.set(key, known);
  return known;
}

const errorsOf = (what: string, validate: ValidateFunction): string[] =>
  (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${what}${instancePath} ${message} ${JSON.stringify(params)}`,
  );

/** The status is documented, and the answer is what the document says. */
function ofAnswer(
  compiled: Compiled,
  name: string,
  operation: Json,
  { request, answer }: { request: Request; answer: Answer },
): string[] {
  const response = responseOf(compiled.document, operation, answer.status);
  if (response === undefined) return [`${name}: ${answer.status} is not documented`];
  const faults = Object.entries(asObject(response['headers']))
    .filter(([header, described]) => {
      const isMissing = answer.headers[header.toLowerCase()] === undefined;
      return isMissing && resolve(compiled.document, described)['required'] === true;
    })
    .map(([header]) => `${name}: ${answer.status} lacks ${header}`);
  if (answer.text === '') return faults;
  if (isBytes(answer)) {
    const type = String(answer.headers['content-type']);
    const isDocumented = type in asObject(response['content']);
    return isDocumented ? faults : [...faults, `${name}: ${type} is not documented`];
  }
  const schema = jsonSchema(response);
  if (schema === undefined) return [`${name}: ${answer.status} has no body in the document`];
  const validate = validator(compiled, `${name} ${answer.status}`, () =>
    compiled.compiler.response(schema),
  );
  const body = parsed(answer.text);
  if (!validate(body)) faults.push(...errorsOf(`${name}: ${answer.status}: `, validate));
  if (answer.status === 200) faults.push(...ofContent(compiled, name, schema, request, body));
  return faults;
}

/** An object that may be cut, the last choice (`Part`), is whole unless `fields` asks for a part, and then has nothing else. */
function ofContent(
  compiled: Compiled,
  name: string,
  schema: Json,
  request: Request,
  body: unknown,
): string[] {
  const query = new URL(request.url, 'http://localhost').searchParams;
  const faults: string[] = [];
  const object = asObject(at(body, 'response'));
  // What was merged into another one is answered by that alone, whatever is asked for.
  if (Object.keys(object).sort().join() === 'id,merged_into' && object['merged_into'] !== null)
    return [];
  if ('included' in object !== query.has('include'))
    faults.push(`${name}: included is there if and only if include asks for it`);
  const choices = at(schema, 'properties', 'response', 'anyOf');
  if (!Array.isArray(choices) || !/Part$/.test(String(at(choices.at(-1), '$ref')))) return faults;
  const asked = query.get('fields')?.split(',');
  if (asked) {
    const strangers = Object.keys(object).filter((key) => !['included', ...asked].includes(key));
    return [...faults, ...strangers.map((key) => `${name}: ${key} was not asked for`)];
  }
  const validate = validator(compiled, `${name} whole`, () =>
    compiled.compiler.response({ anyOf: choices.slice(0, -1) as Json[] }),
  );
  return validate(object) ? faults : [...faults, ...errorsOf(`${name}: whole: `, validate)];
}

/** How a parameter's text is read where its schema is of another type. */
const READS: Readonly<Record<string, (text: string) => unknown>> = {
  integer: Number,
  number: Number,
  boolean: (text) => (text === 'true' || text === 'false' ? text === 'true' : text),
  null: (text) => (text === 'null' ? null : text),
};

function readParameter(schema: Json, text: string): unknown {
  if (schema['type'] === 'array') {
    const parts = text.split(/(?<!\\),/).map((part) => part.replaceAll('\\,', ','));
    return parts.map((part) => readParameter(asObject(schema['items']), part));
  }
  const types = [schema['type']].flat();
  if (text === 'null' && types.includes('null')) return null;
  return types.reduce((value: unknown, type) => {
    const read = READS[String(type)];
    return typeof value === 'string' && read ? read(value) : value;
  }, text);
}

/** Whether a query parameter is this one, or an object one of whose properties it is (`explode`). */
const isNamed = (parameter: Json, key: string): boolean =>
  parameter['name'] === key ||
  Object.keys(asObject(at(parameter, 'schema', 'patternProperties') ?? {})).some((pattern) =>
    new RegExp(pattern).test(key),
  );

/** What was accepted is what the document says may be sent. */
function ofRequest(
  compiled: Compiled,
  method: string,
  { template }: DocumentedPath,
  operation: Json,
  { request, answer }: { readonly request: Request; readonly answer: Answer },
): string[] {
  const name = `${method} ${template}`;
  const parameters = parametersOf(compiled.document, operation);
  const query = new URL(request.url, 'http://localhost').searchParams;
  const faults = [...query].flatMap(([key, value]) => {
    const parameter = parameters.find((known) => known['in'] === 'query' && isNamed(known, key));
    if (!parameter) return [`${name}: accepted the unknown parameter ${key}`];
    if (parameter['name'] !== key) return [];
    const validate = validator(compiled, `${name} ?${key}`, () =>
      compiled.compiler.request(asObject(parameter['schema'])),
    );
    return validate(readParameter(asObject(parameter['schema']), value))
      ? []
      : errorsOf(`${name}: accepted ?${key} `, validate);
  });
  return [...faults, ...ofRequestBody(compiled, name, operation, { request, answer })];
}

function ofRequestBody(
  compiled: Compiled,
  name: string,
  operation: Json,
  { request, answer }: { readonly request: Request; readonly answer: Answer },
) {
  const form = at(operation, 'requestBody', 'content', 'multipart/form-data');
  if (form !== undefined) {
    const type = String(request.headers?.['Content-Type']);
    return type.startsWith('multipart/form-data') ? [] : [`${name}: accepted ${type}`];
  }
  const bytes = bytesOf(request);
  const body =
    bytes === undefined || bytes.length === 0
      ? {}
      : parsed(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  const documented = operation['requestBody'];
  if (documented === undefined) {
    return Object.keys(asObject(body)).length === 0 || name.startsWith('get')
      ? []
      : [`${name}: accepted a body that is not documented`];
  }
  const schema = jsonSchema(resolve(compiled.document, documented));
  if (schema === undefined) return [`${name}: its request body has no schema`];
  const validate = validator(compiled, `${name} body`, () => compiled.compiler.request(schema));
  return validate(tidied(carriedOut(body, answer)))
    ? []
    : errorsOf(`${name}: accepted the body `, validate);
}

/** A batch without those of its operations that were refused by themselves, where these are not all or none. */
function carriedOut(body: unknown, { text }: Answer): unknown {
  const [operations, results] = [at(body, 'operations'), at(parsed(text), 'response', 'results')];
  if (!Array.isArray(operations) || !Array.isArray(results)) return body;
  const done = operations.filter((_, n) => Number(at(results[n], 'status')) < 300);
  // A batch has one at least.
  return { ...asObject(body), operations: done.length === 0 ? [NOTHING_WRONG] : done };
}

const NOTHING_WRONG = { op: 'create', type: 'encounter', body: {} };

/** They are taken as they are sent. */
const PASSWORDS: ReadonlySet<string> = new Set(['password', 'current_password']);

/** Texts as the service keeps them: what it may be sent, it trims and normalizes first. */
function tidied(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\r\n?/g, '\n').normalize('NFC').trim();
  // Lists of references are sets.
  if (Array.isArray(value))
    return value.every((one) => typeof one === 'string' && UUID.test(one))
      ? [...new Set(value)]
      : value.map(tidied);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, PASSWORDS.has(key) ? entry : tidied(entry)]),
  );
}
