/**
 * Answers what the input of a relation offers with our own search: Strapi's controller asks the database itself, past the
 * document service, and looks for the text in one column. What was merged into another object is not offered.
 */
import type { Core } from '@strapi/strapi';
import { foldText } from '../../../../core/words';
import { resourceOf } from '../../../objects/server';
import type { Resource } from '../../../objects/server/declare/completed';
import type { ListSort } from '../../../objects/server/search/language/list-query';
import { isSortedByIndex } from '../../../objects/server/search/conditions/indexed';
import {
  documentsByIds,
  linkedRows,
  replaceController,
  targetOf,
  type PanelContext,
  type RelationsController,
} from '../strapi-internals';
import { listed } from './lists';

/** As Strapi: of a page that does not say how long it is. */
const PAGE_SIZE = 10;

interface Query {
  readonly id?: string;
  readonly page?: string;
  readonly pageSize?: string;
  readonly _q?: string;
  readonly idsToOmit?: string | readonly string[];
  readonly idsToInclude?: string | readonly string[];
}

/** To be called in `register`. */
export function answerPickers(strapi: Core.Strapi): void {
  replaceController<RelationsController>(
    strapi,
    'plugin::content-manager.relations',
    (controller) => ({
      async findAvailable(ctx) {
        const { model, targetField } = ctx.params as Readonly<Record<string, string>>;
        const resource = resourceOf(strapi, targetOf(strapi, model ?? '', targetField ?? ''));
        if (!resource) return controller.findAvailable(ctx);
        return offer(strapi, resource, controller, ctx);
      },
    }),
  );
}

async function offer(
  strapi: Core.Strapi,
  resource: Resource,
  controller: RelationsController,
  ctx: PanelContext,
): Promise<void> {
  const query = ctx.query as Query;
  const { entryId, fieldsToSelect, mainField, sourceSchema, targetField } =
    await controller.extractAndValidateRequestInfo(ctx, query.id);
  const page = Number(query.page ?? 1);
  const pageSize = Number(query.pageSize ?? PAGE_SIZE);
  const shown = new Set(valuesOf(query.idsToInclude));
  const linked =
    entryId === null ? [] : await linkedRows(strapi, sourceSchema.uid, entryId, targetField);
  const omitted = [
    ...valuesOf(query.idsToOmit),
    ...linked.map(String).filter((id) => !shown.has(id)),
  ];
  const { ids, total } = await listed(strapi, resource, {
    filter:
      omitted.length > 0
        ? { by: 'attribute', attribute: 'id', operator: 'notIn', values: omitted }
        : null,
    words: query._q === undefined || query._q.trim() === '' ? null : query._q,
    sort: orderOf(resource, mainField),
    offset: (page - 1) * pageSize,
    limit: pageSize,
  });
  const found = await documentsByIds(strapi, resource.uid, fieldsToSelect, ids);
  const byId = new Map(
    found.map((document) => [document.documentId, withText(document, mainField, query._q ?? '')]),
  );
  ctx.body = {
    results: ids.flatMap((id) => byId.get(id) ?? []),
    pagination: { page, pageSize, pageCount: Math.ceil(total / pageSize), total },
  };
}

/**
 * The panel offers, of what it is answered, what has the text in its name: with "mallard" it would not show Anas
 * platyrhynchos. Such a name has the text behind it.
 */
function withText<T extends object>(document: T, mainField: string, text: string): T {
  const name = (document as Readonly<Record<string, unknown>>)[mainField];
  const wanted = text.trim();
  if (typeof name !== 'string' || mainField === 'documentId') return document;
  if (foldText(name).includes(foldText(wanted))) return document;
  return { ...document, [mainField]: `${name} (${wanted})` };
}

const valuesOf = (given: string | readonly string[] = []): readonly string[] =>
  typeof given === 'string' ? [given] : given;

/** By what is shown of each, where an index has that order; else the newest first. */
function orderOf(resource: Resource, mainField: string): readonly ListSort[] {
  const field = [...resource.fields.values()].find(({ attribute }) => attribute === mainField);
  return field && isSortedByIndex(resource, field)
    ? [{ attribute: mainField, of: null, isDescending: false }]
    : [{ attribute: 'createdAt', of: null, isDescending: true }];
}
