/** The controller actions of the calls that types have by their declarations: parse, call, answer. */
import type { Core } from '@strapi/strapi';
import type { Caller } from '../core/caller';
import { ApiError, issue, malformed, type Issue } from '../core/errors';
import { messageOf } from '../core/notices';
import { hashOfSecret } from '../core/secret';
import { andThen, type Soon } from '../core/soon';
import { objectsOf } from '../plugins/objects/server';
import type { ResourceDeclaration } from '../plugins/objects/server/declare/declaration';
import type {
  Body,
  Change,
  Found,
  ReadOptions,
  Written,
} from '../plugins/objects/server/declare/objects';
import type { ActOperation } from './operations';
import { conditionOf, etagOf, isKnown } from '../plugins/wire/server/etag';
import type { Answer, ApiRequest } from '../plugins/wire/server/request';

type Action = (request: ApiRequest) => Soon<Answer>;

/** The controller of a type, for `src/api/<type>/controllers`. */
export const createController =
  ({ path: type, single }: ResourceDeclaration) =>
  ({
    strapi,
  }: {
    strapi: Core.Strapi;
  }): Record<'create' | 'read' | 'update' | 'delete' | 'act' | 'history', Action> => {
    const write = (change: Change, request: ApiRequest, invalid: readonly Issue[]) =>
      writeUnless(invalid, strapi, change, callerOf(request));
    return {
      async create(request) {
        const change = { op: 'create', type, body: request.body as Body } as const;
        const { id, notices } = await write(change, request, unknownParameters(request));
        return { response: { id }, message: messageOf(notices) };
      },

      read(request) {
        const { options, invalid } = readOptions(request);
        const read = (): Soon<Found> =>
          objectsOf(strapi).read(type, idOf(request), callerOf(request), options);
        return invalid.length === 0
          ? andThen(read(), (found) => answerRead(request, found))
          : refuseWith(invalid, read);
      },

      async update(request) {
        const { invalid, ...at } = target(request, single);
        const change = { op: 'update', type, body: request.body as Body, ...at } as const;
        const { id, version, notices } = await write(change, request, invalid);
        return { response: { id, version }, message: messageOf(notices) };
      },

      async delete(request) {
        const { invalid, ...at } = target(request);
        const change = { op: 'delete', type, ...at } as const;
        const { id } = await write(change, request, [...invalid, ...unknownFields(request)]);
        return { response: { id } };
      },

      /** Runs an action of the type; the route says which one. */
      async act(request) {
        const { invalid, ...at } = target(request);
        const { action } = request.route?.config.operation as ActOperation;
        const change = { op: 'act', type, action, body: request.body as Body, ...at } as const;
        const written = await write(change, request, invalid);
        return { response: acted(written), message: messageOf(written.notices) };
      },

      async history(request) {
        const caller = callerOf(request);
        const response = await objectsOf(strapi).history(
          type,
          idOf(request),
          request.query,
          caller,
        );
        return { response };
      },
    };
  };

/** What an action is answered. */
export const acted = ({ id, version, preview }: Written): object => preview ?? { id, version };

/** The entity tag of an object as one caller sees it. */
export const tagOf = ({ text, version, mayUpdate }: Found): string =>
  etagOf(text, mayUpdate ? version : null);

/** Answers with the object, or with 304 if the caller has this version. */
export function answerRead({ req }: ApiRequest, found: Found, etag = tagOf(found)): Answer {
  const headers = { ETag: etag, 'Cache-Control': 'private, no-cache' };
  return isKnown(req.headers['if-none-match'], etag)
    ? { status: 304, headers }
    : { response: found.text, headers };
}

/** Carries out a change, unless something is wrong with the request beside its body: then all of it is told together. */
export async function writeUnless(
  invalid: readonly Issue[],
  strapi: Core.Strapi,
  change: Change,
  caller: Caller,
): Promise<Written> {
  if (invalid.length === 0) return objectsOf(strapi).write(change, caller);
  return refuseWith(invalid, () => objectsOf(strapi).check(change, caller));
}

/** Refuses with these issues and those that the work is refused with; with its refusal if that has another status. */
async function refuseWith(invalid: readonly Issue[], work: () => Soon<unknown>): Promise<never> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    throw malformed([...invalid, ...error.invalid]);
  }
  throw malformed(invalid);
}

const idOf = ({ params }: ApiRequest): string => params['id'] ?? '';

/** @throws Error when the stage `identify` has not run: every call needs a caller */
export function callerOf({ caller }: ApiRequest): Caller {
  if (!caller) throw new Error('a controller needs a caller');
  return caller;
}

/** The object of a change, and the versions that `If-Match` allows. */
function target(request: ApiRequest, id = idOf(request)) {
  const { invalid, ...condition } = conditionOf(request.req.headers['if-match']);
  return {
    id,
    ...condition,
    invalid: [...invalid, ...unknownParameters(request)],
  };
}

function readOptions({ query }: ApiRequest): { options: ReadOptions; invalid: readonly Issue[] } {
  if (query.size === 0) return { options: {}, invalid: [] };
  const list = (name: string) => query.get(name)?.split(',');
  const [include, fields] = [list('include'), list('fields')];
  return {
    options: { ...(include ? { include } : {}), ...(fields ? { fields } : {}) },
    invalid: unknownNames(query.keys(), new Set(['include', 'fields'])),
  };
}

export const unknownParameters = ({ query }: ApiRequest): readonly Issue[] =>
  query.size === 0 ? [] : unknownNames(query.keys(), new Set());

/** A deletion has no fields: a body with any is malformed. */
export const unknownFields = ({ body }: Pick<ApiRequest, 'body'>): Issue[] =>
  typeof body === 'object' && body !== null && !Array.isArray(body)
    ? unknownNames(Object.keys(body), new Set())
    : [issue('', 'TYPE', { expected: 'object' })];

const unknownNames = (names: Iterable<string>, known: ReadonlySet<string>): Issue[] =>
  [...names].filter((name) => !known.has(name)).map((name) => issue(name, 'UNKNOWN', {}));

/** The number of claims that a caller gives in bodies: one for each photograph of an encounter. */
const MAX_CLAIMS = 100;

/** The caller with the claims of these bodies; invalid ones are reported with the other fields. */
export function withClaims(caller: Caller, ...bodies: readonly unknown[]): Caller {
  const hashes = bodies
    .flatMap((body) => (typeof body === 'object' && body !== null ? claimsOf(body) : []))
    .slice(0, MAX_CLAIMS)
    .flatMap((claim) => hashOfSecret(claim) ?? []);
  return hashes.length === 0 ? caller : { ...caller, claims: [...caller.claims, ...hashes] };
}

const claimsOf = (body: object): string[] => {
  const given: unknown = 'claims' in body ? body.claims : null;
  return Array.isArray(given) ? given.filter((claim) => typeof claim === 'string') : [];
};
