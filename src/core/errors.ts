/**
 * The catalogue of errors: each key that the service can answer, with its status and the names and types of its
 * arguments. Its texts are in `public/locales/{lng}/translation.json` under `API_RESPONSE_<KEY>`; a test checks that
 * catalogue, texts, code and OpenAPI document agree.
 */

/** The types of arguments. */
interface ArgTypes {
  readonly text: string;
  readonly texts: readonly string[];
  readonly number: number;
  readonly 'number or text': number | string;
  /** The expected type or format of a field, see `EXPECTED`. */
  readonly token: Expected;
}
export type ArgType = keyof ArgTypes;

/** The types of arguments by their names. */
export type ArgShape = Readonly<Record<string, ArgType>>;

export interface ErrorEntry {
  readonly status: number;
  readonly args: ArgShape;
  /** Arguments that are absent where the caller may not know them. */
  readonly optional?: ArgShape;
}

/** The keys that refuse a whole request. */
export const ERRORS = {
  MALFORMED: { status: 400, args: {} },
  ENTITY_EXISTS: { status: 400, args: { type: 'text', path: 'text' }, optional: { id: 'text' } },
  IN_USE: { status: 400, args: { type: 'text', count: 'number' } },
  TOO_MANY_BELOW: { status: 400, args: { max: 'number' } },
  EXPORT_EMPTY: { status: 400, args: { left_out: 'number' } },
  BATCH_FAILED: { status: 400, args: { failed: 'number', count: 'number' } },
  TOKEN_INVALID: { status: 400, args: {} },
  LOGIN_REQUIRED: { status: 401, args: {} },
  LOGIN_FAILED: { status: 401, args: {} },
  SESSION_ENDED: { status: 401, args: {} },
  ENTITY_NOT_FOUND: { status: 402, args: { type: 'text', id: 'text' } },
  CROSS_SITE: { status: 403, args: {} },
  FIELD_NOT_PERMITTED: { status: 403, args: {} },
  NOT_PERMITTED: { status: 403, args: {} },
  EMAIL_NOT_VERIFIED: { status: 403, args: {} },
  PASSWORD_WRONG: { status: 403, args: {} },
  REGISTRATION_CLOSED: { status: 403, args: {} },
  PATH_NOT_FOUND: { status: 404, args: {} },
  METHOD_NOT_ALLOWED: { status: 405, args: { method: 'text', allow: 'text' } },
  LAST_ADMINISTRATOR: { status: 409, args: {} },
  MERGED: { status: 409, args: { into: 'text' } },
  STATE_CONFLICT: { status: 409, args: { state: 'text' } },
  VERSION_MISMATCH: { status: 412, args: { version: 'number' } },
  BODY_TOO_LARGE: { status: 413, args: { max: 'number' } },
  URL_TOO_LONG: { status: 414, args: { max: 'number' } },
  MEDIA_TYPE_NOT_ACCEPTED: { status: 415, args: { expected: 'text' } },
  RANGE_NOT_SATISFIABLE: { status: 416, args: { size: 'number' } },
  TOO_MANY_REQUESTS: { status: 429, args: {} },
  INTERNAL_ERROR: { status: 500, args: {} },
  NOT_READY: { status: 503, args: {} },
  SEARCH_TOO_SLOW: { status: 503, args: {} },
  UNAVAILABLE: { status: 503, args: {} },
} as const satisfies Record<string, ErrorEntry>;

/** The keys of an issue with one field of a malformed request. */
export const FIELD_ERRORS = {
  REQUIRED: {},
  UNKNOWN: {},
  NOT_WRITABLE: {},
  NOT_PERMITTED: {},
  TYPE: { expected: 'token' },
  TOO_SMALL: { value: 'number', min: 'number' },
  TOO_LARGE: { value: 'number or text', max: 'number or text' },
  TOO_SHORT: { min: 'number' },
  TOO_LONG: { max: 'number' },
  NOT_ONE_OF: { allowed: 'texts' },
  FORMAT: { expected: 'token' },
  NO_SUCH: { type: 'text' },
  IN_USE: { type: 'text', count: 'number' },
  TAKEN: {},
  CONFLICT: { with: 'text' },
  PASSWORD_WRONG: {},
} as const satisfies Record<string, ArgShape>;

/**
 * The tokens of `args.expected`: what a field has to be. Each has a text in every language, `EXPECTED_<token>`, which
 * the text of the message includes.
 */
export const EXPECTED = [
  'array',
  'bbox',
  'bcp47',
  'boolean',
  'claim',
  'country',
  'cursor',
  'date',
  'edtf',
  'email',
  'etag',
  'form',
  'image',
  'image_not_heic',
  'integer',
  'json',
  'key',
  'name',
  'near',
  'nonempty_file',
  'number',
  'number_or_string',
  'object',
  'origin',
  'plain_url',
  'string',
  'text',
  'uncommon_password',
  'untimed_uuid',
  'url',
  'username',
  'uuid',
  'whole_image',
] as const;
export type Expected = (typeof EXPECTED)[number];

export type ErrorKey = keyof typeof ERRORS;
export type FieldErrorKey = keyof typeof FIELD_ERRORS;
export type Args = Readonly<Record<string, unknown>>;

/** The prefix of every message key on the wire. */
export const KEY_PREFIX = 'API_RESPONSE_';

/** One fault of a request, at the path of the field (`names.0.value`). */
export interface Issue {
  readonly path: string;
  readonly key: FieldErrorKey;
  readonly args: Args;
}

/** The faults that one answer lists at most. */
export const MAX_FAULTS = 100;

/** The refusal of a request. The caller may see all of its content. */
export class ApiError extends Error {
  readonly status: number;
  /** The first of the issues, as many as an answer lists. */
  readonly invalid: readonly Issue[];

  constructor(
    readonly key: ErrorKey,
    readonly args: Args = {},
    invalid: readonly Issue[] = [],
    /** Response headers of this answer (`Allow`, `Retry-After`). */
    readonly headers: Readonly<Record<string, string>> = {},
    /** Of a batch: the result that each of its operations would have had. */
    readonly results?: readonly object[],
  ) {
    super(key);
    this.name = 'ApiError';
    this.status = ERRORS[key].status;
    this.invalid = invalid.slice(0, MAX_FAULTS);
  }
}

/** The arguments of a shape. */
export type ArgsOf<Shape extends ArgShape> = {
  readonly [Name in keyof Shape]: ArgTypes[Shape[Name]];
};

/** The arguments of an issue with this key. */
export type FieldArgs<K extends FieldErrorKey> = ArgsOf<(typeof FIELD_ERRORS)[K]>;

/** The refusal of a request: `throw fail('ENTITY_NOT_FOUND', { type, id })`. */
export function fail<K extends ErrorKey>(
  key: K,
  args: ArgsOf<(typeof ERRORS)[K]['args']>,
  headers?: Readonly<Record<string, string>>,
): ApiError {
  return new ApiError(key, args, [], headers);
}

/** The refusal of a call with a wrong password of the caller's own. */
export function passwordWrong(): ApiError {
  const path = 'current_password';
  return new ApiError('PASSWORD_WRONG', {}, [issue(path, 'PASSWORD_WRONG', {})]);
}

/** The refusal of a request with all of its issues. */
export function malformed(invalid: readonly Issue[]): ApiError {
  return new ApiError('MALFORMED', {}, invalid);
}

/** Makes an issue. */
export function issue<K extends FieldErrorKey>(path: string, key: K, args: FieldArgs<K>): Issue {
  return { path, key, args };
}
