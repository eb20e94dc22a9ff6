/** The forms of our types: labels and help as this version of the service has them, and what cannot be changed in them. */
import type { Core, UID } from '@strapi/strapi';
import { registryOf, siteOf } from '../../../objects/server';
import type { Resource } from '../../../objects/server/define/completed';
import { contentTypeConfigurations, type FormField } from '../strapi-internals';

/** What `schema.json` says under `config`. */
interface Delivered {
  readonly layouts: { readonly edit: readonly unknown[] };
  readonly metadatas: Readonly<Record<string, { readonly edit: FormField }>>;
}

/**
 * Sets labels, help and order of the inputs as they were delivered: Strapi reads them at the first start alone, and an
 * attribute that comes later would have none. The columns of lists stay as the operator has chosen them.
 */
export async function ensureForms(strapi: Core.Strapi): Promise<void> {
  const configurations = contentTypeConfigurations(strapi);
  for (const resource of registryOf(strapi).model().resources.values()) {
    const { config } = strapi.contentType(resource.uid as UID.ContentType) as unknown as {
      readonly config?: Delivered;
    };
    if (!config) continue;
    const current = await configurations.findConfiguration(resource);
    const fixed = fixedAttributes(strapi, resource);
    const metadatas = Object.entries(current.metadatas).map(([attribute, metadata]) => {
      const edit: FormField = { ...metadata.edit, ...config.metadatas[attribute]?.edit };
      const isFixed = fixed.has(attribute);
      return [attribute, { ...metadata, edit: isFixed ? { ...edit, editable: false } : edit }];
    });
    await configurations.updateConfiguration(resource, {
      ...current,
      layouts: { ...current.layouts, edit: config.layouts.edit },
      metadatas: Object.fromEntries(metadatas) as typeof current.metadatas,
    });
  }
}

/** Attributes whose values come from the environment. */
const fixedAttributes = (strapi: Core.Strapi, { single, fields }: Resource): ReadonlySet<string> =>
  new Set(
    single === null
      ? []
      : Object.keys(siteOf(strapi).overridden()).map((name) => fields.get(name)?.attribute ?? name),
  );

/** Shows what comes from the environment in place of what is stored. In `bootstrap`. */
export function showWhatCounts(strapi: Core.Strapi): void {
  strapi.documents.use(async (context, next) => {
    const found: unknown = await next();
    const { resources } = registryOf(strapi).model();
    const resource = [...resources.values()].find(({ uid }) => uid === context.uid);
    if (!resource || resource.single === null) return found as never;
    const values = Object.entries(siteOf(strapi).overridden()).map(([name, value]) => [
      resource.fields.get(name)?.attribute ?? name,
      value,
    ]);
    const shown = (document: unknown): unknown =>
      typeof document === 'object' && document !== null && 'documentId' in document
        ? { ...document, ...Object.fromEntries(values) }
        : document;
    return (Array.isArray(found) ? found.map(shown) : shown(found)) as never;
  });
}
