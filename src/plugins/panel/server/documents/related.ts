/**
 * Leaves out of the documents that the panel is answered what their reader may not see of them, and of those that they
 * refer to: Strapi checks the fields of the document itself alone, and those of them alone that its forms show.
 */
import type { Core } from '@strapi/strapi';
import { unreadableAttributes } from '../attributes';
import { roleOf, type Who } from '../routes/who';
import { replaceService, requestOf, targetOf, type PermissionCheckers } from '../strapi-internals';

/** To be called in `register`. */
export function hideUnreadableValues(strapi: Core.Strapi): void {
  const uid = 'plugin::content-manager.permission-checker';
  replaceService<PermissionCheckers>(strapi, uid, (checkers) => ({
    create(of) {
      const checker = checkers.create(of);
      return {
        ...checker,
        async sanitizeOutput(document, options) {
          const sanitized = await checker.sanitizeOutput(document, options);
          const user = requestOf(strapi)?.state.user;
          return user ? readable(strapi, of.model, roleOf(user), sanitized) : sanitized;
        },
      };
    },
  }));
}

/** A value of a document, or one or several documents, without what may not be read. */
function readable(strapi: Core.Strapi, uid: string, who: Who, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => readable(strapi, uid, who, one));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const hidden = unreadableAttributes(strapi, uid, who);
  const kept = Object.entries(value).filter(([name]) => !hidden.has(name));
  return Object.fromEntries(
    kept.map(([name, part]: [string, unknown]) => {
      const target = targetOf(strapi, uid, name);
      return [name, target === undefined ? part : readable(strapi, target, who, part)];
    }),
  );
}
