/**
 * What the panel's pages are told of the types. Strapi tells everybody of all fields, and its pages draw those that came
 * without a value like those that have none: a boolean as false. Here nobody is told of a field that the own
 * permissions do not let read, so that lists, filters and forms, which are made of this, do not have it.
 */
import type { Core } from '@strapi/strapi';
import {
  canRead,
  permissionFields,
  replaceController,
  type Controller,
  type PanelContext,
} from '../strapi-internals';

interface Schema {
  readonly uid: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** In `register`. */
export function hideUnreadableFields(strapi: Core.Strapi): void {
  replaceController<Controller<'getInitData'>>(
    strapi,
    'plugin::content-manager.init',
    ({ getInitData }) => ({
      async getInitData(ctx) {
        await getInitData(ctx);
        const { data } = ctx.body as { data: { contentTypes: readonly Schema[] } };
        const contentTypes = data.contentTypes.map((schema) => readable(strapi, ctx, schema));
        ctx.body = { data: { ...data, contentTypes } };
      },
    }),
  );
}

function readable(strapi: Core.Strapi, ctx: PanelContext, schema: Schema): Schema {
  const mayRead = canRead(strapi, ctx.state, schema.uid);
  // Of such a type there is no page; others refer to it by its name.
  if (!mayRead()) return schema;
  const fields = permissionFields(strapi, schema.uid);
  const hidden = new Set(fields.filter((field) => !mayRead(field)));
  const attributes = Object.entries(schema.attributes).filter(([name]) => !hidden.has(name));
  return { ...schema, attributes: Object.fromEntries(attributes) };
}
