/**
 * The schemas of the types that the panel's pages get. Strapi sends all fields to every user, and its pages show a field
 * that the answer omits like an empty one: a boolean as false. Here fields that the user may not read are removed, so
 * that lists, filters and forms do not have them.
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

/** Removes unreadable fields from the schemas. To be called in `register`. */
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
  // Such a type has no page; relations of other types need its schema.
  if (!mayRead()) return schema;
  const fields = permissionFields(strapi, schema.uid);
  const hidden = new Set(fields.filter((field) => !mayRead(field)));
  const attributes = Object.entries(schema.attributes).filter(([name]) => !hidden.has(name));
  return { ...schema, attributes: Object.fromEntries(attributes) };
}
