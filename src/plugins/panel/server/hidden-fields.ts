/** No order and no filter of the panel's lists tells its reader what it may not see. */
import type { Core } from '@strapi/strapi';
import { traverse } from '@strapi/utils';
import { resourceOf } from '../../objects/server';
import { panelCaller } from './accounts/panel-caller';
import { hiddenAttributes } from './roles';

interface Query {
  sort?: unknown;
  filters?: unknown;
}

type Visitor = (
  at: { readonly key: string; readonly schema?: { readonly uid: string } },
  change: { readonly remove: (key: string) => void },
) => void;
type Traverse = (visitor: Visitor, options: object, query: unknown) => Promise<unknown>;

/** Their own types have them curried, which loses what comes back. */
const { traverseQueryFilters, traverseQuerySort } = traverse as unknown as Readonly<
  Record<'traverseQueryFilters' | 'traverseQuerySort', Traverse>
>;

/** Strapi takes a type's own hidden fields out of filters; it leaves them in `sort`, and those of other types in both. */
export function hideQueries(strapi: Core.Strapi): void {
  const isHidden: (at: Parameters<Visitor>[0]) => boolean = ({ key, schema }) => {
    const resource = resourceOf(strapi, schema?.uid);
    return resource !== undefined && hiddenAttributes(resource).has(key);
  };
  strapi.documents.use(async (context, next) => {
    const query = context.params as Query;
    const { filters = {}, sort = [] } = query;
    const isOpen = query.filters === undefined && query.sort === undefined;
    if (isOpen || (await panelCaller(strapi)).role !== 'moderator') return next();
    const options = { schema: context.contentType, getModel: strapi.getModel.bind(strapi) };
    query.filters = await traverseQueryFilters(
      (at, { remove }) => {
        if (isHidden(at)) remove(at.key);
      },
      options,
      filters,
    );
    let tells = false;
    await traverseQuerySort((at) => void (tells ||= isHidden(at)), options, sort);
    // As a whole: without its last part, `owner.username` is an order that no database knows.
    if (tells) delete query.sort;
    return next();
  });
}
