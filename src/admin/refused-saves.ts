import type { StrapiApp } from '@strapi/strapi/admin';

type CreateMiddleware = StrapiApp['middlewares'][number];

interface Action {
  readonly type: string;
  readonly payload?: { readonly queryCacheKey?: string; readonly patches?: readonly unknown[] };
  readonly meta?: { readonly arg?: { readonly endpointName?: string } };
}

/** The panel changes the cached document before the server has answered. */
const changesDocument = ({ type, payload }: Action): boolean =>
  type === 'adminApi/queries/queryResultPatched' &&
  payload?.queryCacheKey?.startsWith('getDocument(') === true &&
  (payload.patches?.length ?? 0) > 0;

const isSaved = ({ type, meta }: Action): boolean =>
  type === 'adminApi/executeMutation/fulfilled' && meta?.arg?.endpointName === 'updateDocument';

/**
 * Keeps the user's input in the form after a refused save. The panel updates its cache while a save is under way, and
 * undoes that when it is refused, which also discards the input (https://github.com/strapi/strapi/issues/22646). This
 * delays the update until the server has accepted the save; undoing it cancels it.
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
