/**
 * Answers the lists of the panel with our own search: words, filters, order and count. Strapi searches each column for the
 * text, sorts by columns without an index and counts all rows, which takes as long as there are records.
 */
import type { Core, Modules } from '@strapi/strapi';
import { errors } from '@strapi/utils';
import { objectsOf, resourceOf } from '../../../objects/server';
import type { Resource } from '../../../objects/server/declare/completed';
import { MAX_OFFSET } from '../../../objects/server/search/language/limits';
import { UnknownFilter } from '../../../objects/server/search/conditions/predicate';
import type { ListPage, ListQuery } from '../../../objects/server/search/language/list-query';
import { TOTALS } from '../../shared/list-total';
import { panelCaller } from '../accounts/panel-caller';
import { asStrapiError } from '../strapi-errors';
import { requestOf } from '../strapi-internals';
import { roleOf } from '../routes/who';
import { listQueryOf, UnknownQuery } from './list-query';

type Context = Modules.Documents.Middleware.Context;
type Params = Readonly<Record<string, unknown>>;

/** The lists of each request, by type: a list and its count are asked for separately. */
const lists = new WeakMap<object, Map<string, Promise<ListPage>>>();

/** Adds the document middleware. To be called in `bootstrap`. */
export function answerLists(strapi: Core.Strapi): void {
  strapi.documents.use(async (context, next) => {
    const params = (context.params ?? {}) as Params;
    const request = requestOf(strapi);
    const isList = context.action === 'findMany' || context.action === 'count';
    if (!isList || request?.state.user === undefined || params['limit'] === undefined)
      return next();
    const resource = resourceOf(strapi, context.uid);
    if (!resource || resource.single !== null) return next();
    try {
      const known = lists.get(request) ?? new Map<string, Promise<ListPage>>();
      lists.set(request, known);
      const isCounted = context.action === 'count';
      const list =
        (isCounted ? known.get(resource.type) : undefined) ??
        pageOf(strapi, resource, params, isCounted);
      known.set(resource.type, list);
      const page = await list;
      return (isCounted ? totalOf(page) : await documentsOf(context, next, page)) as never;
    } catch (error) {
      if (!(error instanceof UnknownQuery) && !(error instanceof UnknownFilter)) throw error;
      // A condition of a role that an operator has made, such as who created it, is Strapi's own.
      if (roleOf(request.state.user) === 'operator') return next();
      throw new errors.ValidationError(`Lists are not filtered or sorted by ${error.message}.`);
    }
  });
}

/** The total as the panel shows it: Strapi has no other place for what it leaves out. */
const totalOf = ({ total, counted }: ListPage): number =>
  counted === 'all' ? total : TOTALS[counted];

async function pageOf(
  strapi: Core.Strapi,
  resource: Resource,
  params: Params,
  isCounted: boolean,
): Promise<ListPage> {
  const query = listQueryOf(params);
  return listed(strapi, resource, isCounted ? { ...query, sort: [], offset: 0, limit: 0 } : query);
}

/** A page of a list. @throws ValidationError for one that is too far back, or too long to be sorted so */
export async function listed(
  strapi: Core.Strapi,
  { type }: Resource,
  query: ListQuery,
): Promise<ListPage> {
  if (query.offset > MAX_OFFSET) throw new errors.ValidationError(TOO_FAR);
  try {
    const page = await objectsOf(strapi).list(type, query, await panelCaller(strapi));
    if (page) return page;
  } catch (error) {
    throw asStrapiError(error);
  }
  throw new errors.ValidationError(TOO_MANY);
}

const TOO_FAR = 'Lists end after 10,000 entries. Filter the list, or sort it the other way round.';
const TOO_MANY =
  'More than 10,000 entries are too many to be sorted by this. Filter the list first.';

/** The documents of a page as Strapi would have found them, with what the caller wants of each. */
async function documentsOf(
  context: Context,
  next: () => Promise<unknown>,
  { ids }: ListPage,
): Promise<unknown> {
  if (ids.length === 0) return [];
  const { filters, _q, sort, start, limit, ...wanted } = context.params as Params;
  void [filters, _q, sort, start, limit];
  context.params = { ...wanted, filters: { documentId: { $in: ids } } } as never;
  const found = (await next()) as readonly { readonly documentId: string }[];
  const byId = new Map(found.map((document) => [document.documentId, document]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
