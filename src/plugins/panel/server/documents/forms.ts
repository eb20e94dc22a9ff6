/** The forms of our types: labels and help as this version of the service has them, and what cannot be changed in them. */
import type { Core, UID } from '@strapi/strapi';
import { isDeepStrictEqual } from 'node:util';
import { registryOf, resourceOf, siteOf } from '../../../objects/server';
import type { Resource } from '../../../objects/server/declare/completed';
import { isSortedByIndex } from '../../../objects/server/search/conditions/indexed';
import type { Body } from '../../../objects/server/declare/objects';
import {
  contentTypeConfigurations,
  type FormConfiguration,
  type FormField,
  type FormRow,
} from '../strapi-internals';

/** What `schema.json` says under `config`. */
interface Delivered {
  readonly layouts: { readonly edit: readonly FormRow[] };
  readonly metadatas: Readonly<Record<string, { readonly edit: FormField }>>;
}

/**
 * Sets labels and help of the inputs as they were delivered: Strapi reads them at the first start alone, and an
 * attribute that comes later would have none. The order of inputs and the columns of lists stay as the operator has
 * chosen them; lists are sorted by columns with an index alone.
 */
export async function ensureForms(strapi: Core.Strapi): Promise<void> {
  const configurations = contentTypeConfigurations(strapi);
  for (const resource of registryOf(strapi).model().resources.values()) {
    const { config } = strapi.contentType(resource.uid as UID.ContentType) as unknown as {
      readonly config?: Delivered;
    };
    if (!config) continue;
    const current = await configurations.findConfiguration(resource);
    const shown = configured(current, config, overriddenValues(strapi, resource));
    const wanted = { ...shown, metadatas: sortable(resource, shown.metadatas) };
    if (!isDeepStrictEqual(wanted, current))
      await configurations.updateConfiguration(resource, wanted);
  }
}

/** @param overridden attributes that cannot be changed in the form */
function configured(
  current: FormConfiguration,
  { layouts, metadatas }: Delivered,
  overridden: Body,
): FormConfiguration {
  const fields = Object.entries(current.metadatas).map(([attribute, metadata]) => {
    const edit: FormField = { ...metadata.edit, ...metadatas[attribute]?.edit };
    const isFixed = attribute in overridden;
    return [attribute, { ...metadata, edit: isFixed ? { ...edit, editable: false } : edit }];
  });
  return {
    ...current,
    layouts: { ...current.layouts, edit: arranged(current.layouts.edit, layouts.edit) },
    metadatas: Object.fromEntries(fields) as FormConfiguration['metadatas'],
  };
}

/** Offers to sort lists by what has an index alone: by anything else a long list is not sorted. */
const sortable = (
  resource: Resource,
  metadatas: FormConfiguration['metadatas'],
): FormConfiguration['metadatas'] =>
  Object.fromEntries(
    Object.entries(metadatas).map(([attribute, { edit, list }]) => {
      const field = [...resource.fields.values()].find((one) => one.attribute === attribute);
      const isSortable = field !== undefined && isSortedByIndex(resource, field);
      return [attribute, { edit, list: { ...list, sortable: isSortable } }];
    }),
  );

/** The present rows of a form, without inputs that are not delivered, and with those that it lacks below. */
function arranged(current: readonly FormRow[], delivered: readonly FormRow[]): readonly FormRow[] {
  const namesIn = (rows: readonly FormRow[]) => new Set(rows.flat().map(({ name }) => name));
  const [present, wanted] = [namesIn(current), namesIn(delivered)];
  const kept = current.map((row) => row.filter(({ name }) => wanted.has(name)));
  const added = delivered.map((row) => row.filter(({ name }) => !present.has(name)));
  return [...kept, ...added].filter((row) => row.length > 0);
}

/** What comes from the environment in place of what is stored, by attributes. */
function overriddenValues(strapi: Core.Strapi, { single, fields }: Resource): Body {
  const values = single === null ? [] : Object.entries(siteOf(strapi).overridden());
  return Object.fromEntries(
    values.map(([name, value]) => [fields.get(name)?.attribute ?? name, value]),
  );
}

/** Shows what comes from the environment in place of what is stored. In `bootstrap`. */
export function showWhatCounts(strapi: Core.Strapi): void {
  strapi.documents.use(async (context, next) => {
    const found: unknown = await next();
    const resource = resourceOf(strapi, context.uid);
    if (!resource || resource.single === null) return found as never;
    const values = overriddenValues(strapi, resource);
    const shown = (document: unknown): unknown =>
      typeof document === 'object' && document !== null && 'documentId' in document
        ? { ...document, ...values }
        : document;
    return (Array.isArray(found) ? found.map(shown) : shown(found)) as never;
  });
}
