/**
 * What Strapi's own document service does to our types, the writer does: the panel's saves, edits
 * and deletions obey the same rules as the API's. One middleware, which answers in place of
 * Strapi's code.
 */
import type { Core, Modules, UID } from '@strapi/strapi';
import { errors } from '@strapi/utils';
import { malformed } from '../../../../core/errors';
import { inspectJson } from '../../../../core/text';
import { objectsOf, resourceOf, siteOf } from '../../../objects/server';
import type { Resource } from '../../../objects/server/define/completed';
import type { Body, Change, Written } from '../../../objects/server/types';
import { bodyOf, listAttributes } from './form-data';
import { explain } from './form-errors';
import { panelCaller } from '../accounts/panel-caller';
import { inTurn } from './serialize';

type Context = Modules.Documents.Middleware.Context;
type Next = Parameters<Modules.Documents.Middleware.Middleware>[1];
type Document = Modules.Documents.AnyDocument;
type Result = Awaited<ReturnType<Next>>;
type Params = Readonly<Record<string, unknown>>;

type Answer = (strapi: Core.Strapi, resource: Resource, params: Params) => Promise<Result>;

/** What is answered here. Nothing of ours is ever a draft, so the other changes do not exist. */
const ANSWERS: Partial<Record<Context['action'], Answer>> = {
  create,
  update,
  delete: remove,
  clone: refuseClone,
};

/** Puts the writer in front of Strapi's document service, for our types. */
export function answerDocuments(strapi: Core.Strapi): void {
  strapi.documents.use((context, next) => {
    const answer = ANSWERS[context.action];
    const resource = answer && resourceOf(strapi, context.uid);
    if (!resource) return next();
    return inTurn(strapi, () => answer(strapi, resource, context.params as Params));
  });
}

async function create(
  strapi: Core.Strapi,
  resource: Resource,
  params: Params,
): Promise<Document | null> {
  const body = bodyOf(resource, dataOf(params), null);
  const { id } = await write(strapi, resource, { op: 'create', type: resource.type, body });
  return again(strapi, resource, id, params);
}

async function update(
  strapi: Core.Strapi,
  resource: Resource,
  params: Params,
): Promise<Document | null> {
  const id = String(params['documentId']);
  const stored = await strapi
    .documents(resource.uid as UID.ContentType)
    .findOne({ documentId: id, populate: listAttributes(resource) as never });
  if (!stored) return null;
  const data = dataOf(params);
  const body = bodyOf(resource, data, stored);
  // The panel's form holds the version that it was opened with; what is no number is nobody's.
  const seen = data['version'] ?? null;
  const condition = seen === null ? {} : { ifMatch: typeof seen === 'number' ? [seen] : [] };
  await write(strapi, resource, { op: 'update', type: resource.type, id, body, ...condition });
  return again(strapi, resource, id, params);
}

async function remove(strapi: Core.Strapi, resource: Resource, params: Params): Promise<Result> {
  const id = String(params['documentId']);
  const entry = await strapi.documents(resource.uid as UID.ContentType).findOne({ documentId: id });
  if (!entry) return { documentId: id, entries: [] };
  try {
    await write(strapi, resource, { op: 'delete', type: resource.type, id });
  } catch (error) {
    if (!(error instanceof errors.ApplicationError)) throw error;
    // One of a selection, perhaps: which one, and that the others are still there.
    const name: unknown = (entry as Body)[resource.displayName.attribute ?? ''];
    const named = typeof name === 'string' ? `${name}: ` : '';
    throw new errors.ApplicationError(`${named}${error.message} Nothing was deleted.`);
  }
  return { documentId: id, entries: [entry] };
}

function refuseClone(): Promise<never> {
  const text = 'This cannot be duplicated: create a new entry instead.';
  return Promise.reject(new errors.ApplicationError(text));
}

const dataOf = (params: Params): Params => (params['data'] ?? {}) as Params;

async function write(strapi: Core.Strapi, resource: Resource, change: Change): Promise<Written> {
  try {
    // What the API's body never holds; Strapi's own parser looks for none of it.
    const forbidden = 'body' in change ? inspectJson(change.body) : [];
    if (forbidden.length > 0) throw malformed(forbidden);
    const written = await objectsOf(strapi).write(change, await panelCaller(strapi));
    if (resource.single !== null) await siteOf(strapi).load();
    return written;
  } catch (error) {
    throw explain(resource, error);
  }
}

/** The document as Strapi would have answered it. */
function again(
  strapi: Core.Strapi,
  resource: Resource,
  id: string,
  params: Params,
): Promise<Document | null> {
  const { fields, populate } = params as { fields?: never; populate?: never };
  return strapi.documents(resource.uid as UID.ContentType).findOne({
    documentId: id,
    ...(fields === undefined ? {} : { fields }),
    ...(populate === undefined ? {} : { populate }),
  });
}
