import type { StrapiApp } from '@strapi/strapi/admin';

type CreateMiddleware = StrapiApp['middlewares'][number];

interface Action {
  readonly type: string;
  readonly payload?: { readonly queryCacheKey?: string; readonly patches?: readonly unknown[] };
  readonly meta?: { readonly arg?: { readonly endpointName?: string } };
}

/** The cached document is changed without the server having said so. */
const changesDocument = ({ type, payload }: Action): boolean =>
  type === 'adminApi/queries/queryResultPatched' &&
  payload?.queryCacheKey?.startsWith('getDocument(') === true &&
  (payload.patches?.length ?? 0) > 0;

const isSaved = ({ type, meta }: Action): boolean =>
  type === 'adminApi/executeMutation/fulfilled' && meta?.arg?.endpointName === 'updateDocument';

/**
 * Keeps in the form what the server has refused. The panel takes a save for done while it is under
 * way, and takes it back when it is refused, and with it everything that was typed
 * (https://github.com/strapi/strapi/issues/22646). So that change waits here until the server has
 * agreed, and the one that takes it back cancels it.
 */
export const keepRefusedInput: CreateMiddleware = () => () => (next) => {
  let held: Action | null = null;
  return (action: Action): unknown => {
    if (changesDocument(action)) {
      held = held === null ? action : null;
      return action;
    }
    if (held !== null && isSaved(action)) {
      next(held);
      held = null;
    }
    return next(action);
  };
};
