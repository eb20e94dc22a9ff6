/**
 * Adds the edges of an object to the document that a form opens: Strapi knows of no column for them. Each with the name
 * of the other object, for people to read.
 */
import type { Core } from '@strapi/strapi';
import { service } from '../../../../core/caller';
import { objectsOf, resourceOf } from '../../../objects/server';
import type { Resource } from '../../../objects/server/declare/completed';
import type { Relationship } from '../../../objects/server/kinds/relationships';
import type { Body } from '../../../objects/server/declare/objects';

/** An edge as forms hold it. */
interface ShownEdge extends Relationship {
  readonly name: string | null;
}

/** Adds a document middleware, to be called in `bootstrap`. Lists show no edges. */
export function showEdges(strapi: Core.Strapi): void {
  strapi.documents.use(async (context, next) => {
    const found: unknown = await next();
    // Within a transaction, such as that of a deleted selection, no form is opened.
    if (context.action !== 'findOne' || strapi.db.inTransaction()) return found as never;
    const resource = resourceOf(strapi, context.uid);
    if (!resource || !isDocument(found)) return found as never;
    return { ...found, ...(await edgesOf(strapi, resource, found.documentId)) } as never;
  });
}

const isDocument = (value: unknown): value is { readonly documentId: string } =>
  typeof value === 'object' && value !== null && 'documentId' in value;

/** The edges of an object, by attribute. */
async function edgesOf(strapi: Core.Strapi, resource: Resource, id: string): Promise<Body> {
  const fields = [...resource.fields.values()].filter(
    ({ edges, attribute }) => edges !== null && attribute !== null,
  );
  if (fields.length === 0) return {};
  const names = fields.map(({ name }) => name);
  const { object } = await objectsOf(strapi).inspect(resource.type, id, service, names);
  const shown: Record<string, readonly ShownEdge[]> = {};
  for (const { name, attribute } of fields)
    shown[attribute ?? name] = await named(strapi, resource, object[name] as Relationship[]);
  return shown;
}

async function named(
  strapi: Core.Strapi,
  { uid, displayName }: Resource,
  edges: readonly Relationship[],
): Promise<ShownEdge[]> {
  const attribute = displayName.attribute ?? '';
  const rows: readonly Body[] = await strapi.db.query(uid).findMany({
    select: ['documentId', attribute],
    where: { documentId: { $in: edges.map(({ individual }) => individual) } },
  });
  const names = new Map(rows.map((row) => [row['documentId'], row[attribute]]));
  return edges.map(({ individual, type }) => {
    const name = names.get(individual);
    return { individual, type, name: typeof name === 'string' ? name : null };
  });
}
