/** Deletes what is selected in a list of the panel, as a batch: all of it in one transaction, or nothing. */
import type { Core, UID } from '@strapi/strapi';
import { errors } from '@strapi/utils';
import { objectsOf, resourceOf } from '../../../objects/server';
import type { Resource } from '../../../objects/server/declare/completed';
import type { Body } from '../../../objects/server/declare/objects';
import { panelCaller } from '../accounts/panel-caller';
import { replaceService } from '../strapi-internals';
import { explain } from './form-errors';

interface DocumentManager {
  deleteMany(ids: readonly string[], uid: string, options?: object): Promise<{ count: number }>;
}

/** To be called in `register`. */
export function deleteSelections(strapi: Core.Strapi): void {
  const uid = 'plugin::content-manager.document-manager';
  replaceService<DocumentManager>(strapi, uid, (manager) => ({
    deleteMany(ids, type, options) {
      const resource = resourceOf(strapi, type);
      return resource ? deleteAll(strapi, resource, ids) : manager.deleteMany(ids, type, options);
    },
  }));
}

/** @throws Error that the panel shows, with the names of all that cannot be deleted */
async function deleteAll(
  strapi: Core.Strapi,
  resource: Resource,
  ids: readonly string[],
): Promise<{ count: number }> {
  const { type } = resource;
  const changes = ids.map((id) => ({ op: 'delete', type, id }) as const);
  const caller = await panelCaller(strapi);
  const outcomes = await objectsOf(strapi).writeAll(changes, caller, { atomic: true });
  const refused = outcomes.flatMap((outcome, at) =>
    outcome.ok ? [] : [{ id: ids[at] ?? '', error: outcome.error }],
  );
  if (refused.length === 0) return { count: ids.length };
  const lines = await Promise.all(
    refused.map(async ({ id, error }) => {
      const explained = explain(resource, error);
      const text = explained instanceof Error ? explained.message : '';
      return `${await prefixOf(strapi, resource, id)}${text}`;
    }),
  );
  throw new errors.ApplicationError(`${lines.join(' ')} ${NOTHING}`);
}

/** Added to a refusal: what is refused may be one of several. */
export const NOTHING = 'Nothing was deleted.';

/** The name of a record, in front of what is said of it. */
async function prefixOf(strapi: Core.Strapi, resource: Resource, id: string): Promise<string> {
  const entry = await strapi.documents(resource.uid as UID.ContentType).findOne({ documentId: id });
  return entry ? namePrefix(resource, entry) : '';
}

/** The same of a record that has been read. */
export function namePrefix({ displayName }: Resource, entry: Body): string {
  const name = entry[displayName.attribute ?? ''];
  return typeof name === 'string' ? `${name}: ` : '';
}
