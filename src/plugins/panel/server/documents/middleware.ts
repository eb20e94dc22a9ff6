/**
 * Replaces Strapi's document service for our types by the writer, so that the panel's changes obey the same rules as the
 * API's: one document middleware, which answers instead of Strapi's code.
 */
import type { Core, Modules, UID } from '@strapi/strapi';
import { errors } from '@strapi/utils';
import { malformed } from '../../../../core/errors';
import { inspectJson } from '../../../../core/text';
import { objectsOf, resourceOf, siteOf } from '../../../objects/server';
import type { Resource } from '../../../objects/server/declare/completed';
import type { Change, Written } from '../../../objects/server/declare/objects';
import { bodyOf, listAttributes } from './form-data';
import { explain } from './form-errors';
import { panelCaller } from '../accounts/panel-caller';
import { namePrefix, NOTHING } from './selection';
import { inTurn } from './serialize';

type Context = Modules.Documents.Middleware.Context;
type Next = Parameters<Modules.Documents.Middleware.Middleware>[1];
type Document = Modules.Documents.AnyDocument;
type Result = Awaited<ReturnType<Next>>;
type Params = Readonly<Record<string, unknown>>;

type Answer = (strapi: Core.Strapi, resource: Resource, params: Params) => Promise<Result>;

/** The actions that are replaced. Our types have no drafts, so that the other actions cannot occur. */
const ANSWERS: Partial<Record<Context['action'], Answer>> = {
  create,
  update,
  delete: remove,
  clone: refuseClone,
};

/** Adds the document middleware. To be called in `bootstrap`. */
export function answerDocuments(strapi: Core.Strapi): void {
  strapi.documents.use((context, next) => {
    const answer = ANSWERS[context.action];
    const resource = answer && resourceOf(strapi, context.uid);
    if (!resource) return next();
    return inTurn(strapi, () => answer(strapi, resource, context.params));
  });
}

async function create(
  strapi: Core.Strapi,
  resource: Resource,
  params: Params,
): Promise<Document | null> {
  const body = bodyOf(resource, dataOf(params), null);
  const { id } = await write(strapi, resource, { op: 'create', type: resource.type, body });
  return readBack(strapi, resource, id, params);
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
  // The form sends the version that it was opened with; a value that is not a number matches no version.
  const seen = data['version'] ?? null;
  const condition = seen === null ? {} : { ifMatch: typeof seen === 'number' ? [seen] : [] };
  await write(strapi, resource, { op: 'update', type: resource.type, id, body, ...condition });
  return readBack(strapi, resource, id, params);
}

async function remove(strapi: Core.Strapi, resource: Resource, params: Params): Promise<Result> {
  const id = String(params['documentId']);
  const entry = await strapi.documents(resource.uid as UID.ContentType).findOne({ documentId: id });
  if (!entry) return { documentId: id, entries: [] };
  try {
    await write(strapi, resource, { op: 'delete', type: resource.type, id });
  } catch (error) {
    if (!(error instanceof errors.ApplicationError)) throw error;
    throw new errors.ApplicationError(`${namePrefix(resource, entry)}${error.message} ${NOTHING}`);
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
    // The API's pipeline refuses these in every body; Strapi's parser does not check them.
    const forbidden = 'body' in change ? inspectJson(change.body) : [];
    if (forbidden.length > 0) throw malformed(forbidden);
    const written = await objectsOf(strapi).write(change, await panelCaller(strapi));
    if (resource.single !== null) await siteOf(strapi).settled();
    return written;
  } catch (error) {
    throw explain(resource, error);
  }
}

/** Reads the document as Strapi would answer it. */
function readBack(
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
