/**
 * The link to Strapi's settings in the main menu. Strapi shows it to everybody, with no permission to hide it by: the page is
 * told who is signed in, and a style hides it from accounts of the service.
 */
import type { StrapiApp } from '@strapi/strapi/admin';

type CreateMiddleware = StrapiApp['middlewares'][number];

interface Action {
  readonly type: string;
  readonly payload?: { readonly roles?: readonly { readonly code: string }[] };
  readonly meta?: { readonly arg?: { readonly endpointName?: string } };
}

const OPERATOR = 'data-operator';

const STYLE = `html:not([${OPERATOR}]) nav a[href="/admin/settings"] { display: none; }`;

/** Whether the panel has been told who is signed in. */
const isUser = ({ type, meta }: Action): boolean =>
  type === 'adminApi/executeQuery/fulfilled' && meta?.arg?.endpointName === 'getMe';

/** To be given to `app.addMiddlewares` in `register`. */
export const hideSettings: CreateMiddleware = () => {
  const style = document.createElement('style');
  style.textContent = STYLE;
  document.head.append(style);
  return () => (next) => (action: Action) => {
    if (isUser(action)) {
      const isOurs = action.payload?.roles?.some(({ code }) => code.startsWith('oms-')) === true;
      document.documentElement.toggleAttribute(OPERATOR, !isOurs);
    }
    return next(action);
  };
};
