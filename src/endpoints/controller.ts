/** The actions of the four calls that every type of objects has: parse, call, answer. */
import type { Core } from '@strapi/strapi';
import type { Caller } from '../plugins/accounts/server/caller';
import { objectsOf } from '../plugins/objects/server';
import type { ResourceDeclaration } from '../plugins/objects/server/define/declaration';
import type { Body, ReadOptions } from '../plugins/objects/server/types';
import { issue, type Issue } from '../plugins/wire/server/errors';
import { conditionOf, etagOf, isKnown } from '../plugins/wire/server/etag';
import type { Answer, Exchange } from '../plugins/wire/server/exchange';

type Action = (exchange: Exchange) => Promise<Answer>;

/** The controller of a type, for `src/api/<type>/controllers`. */
export const createController =
  ({ path: type }: ResourceDeclaration) =>
  ({
    strapi,
  }: {
    strapi: Core.Strapi;
  }): Record<'create' | 'read' | 'update' | 'delete', Action> => ({
    async create(exchange) {
      const invalid = unknownParameters(exchange);
      const change = { op: 'create', type, body: exchange.body as Body, invalid } as const;
      const { id } = await objectsOf(strapi).write(change, callerOf(exchange));
      return { response: { id } };
    },

    async read(exchange) {
      const found = await objectsOf(strapi).read(
        type,
        idOf(exchange),
        callerOf(exchange),
        readOptions(exchange),
      );
      const etag = etagOf(found.text, found.mayUpdate ? found.version : null);
      const headers = { ETag: etag, 'Cache-Control': 'private, no-cache' };
      return isKnown(exchange.req.headers['if-none-match'], etag)
        ? { status: 304, headers }
        : { response: found.text, headers };
    },

    async update(exchange) {
      const change = {
        op: 'update',
        type,
        body: exchange.body as Body,
        ...target(exchange),
      } as const;
      const { id, version } = await objectsOf(strapi).write(change, callerOf(exchange));
      return { response: { id, version } };
    },

    async delete(exchange) {
      const { invalid, ...at } = target(exchange);
      const change = {
        op: 'delete',
        type,
        ...at,
        invalid: [...invalid, ...unknownFields(exchange)],
      } as const;
      const { id } = await objectsOf(strapi).write(change, callerOf(exchange));
      return { response: { id } };
    },
  });

const idOf = ({ params }: Exchange): string => params['id'] ?? '';

/** @throws Error when the stage `identify` has not run: no call goes without a caller */
export function callerOf({ caller }: Exchange): Caller {
  if (!caller) throw new Error('a controller needs a caller');
  return caller;
}

/** The object that a change is about, and the versions that it may have. */
function target(exchange: Exchange) {
  const { invalid, ...condition } = conditionOf(exchange.req.headers['if-match']);
  return {
    id: idOf(exchange),
    ...condition,
    invalid: [...invalid, ...unknownParameters(exchange)],
  };
}

function readOptions({ query }: Exchange): ReadOptions {
  const list = (name: string) => query.get(name)?.split(',');
  const [include, fields] = [list('include'), list('fields')];
  return {
    ...(include ? { include } : {}),
    ...(fields ? { fields } : {}),
    invalid: strangers(query.keys(), new Set(['include', 'fields'])),
  };
}

export const unknownParameters = ({ query }: Exchange): Issue[] =>
  strangers(query.keys(), new Set());

/** A deletion says nothing: a body that does is a mistake. */
export const unknownFields = ({ body }: Exchange): Issue[] =>
  typeof body === 'object' && body !== null && !Array.isArray(body)
    ? strangers(Object.keys(body), new Set())
    : [issue('', 'TYPE', { expected: 'object' })];

const strangers = (names: Iterable<string>, known: ReadonlySet<string>): Issue[] =>
  [...names].filter((name) => !known.has(name)).map((name) => issue(name, 'UNKNOWN', {}));
