/** What the OpenAPI document says of the calls of one type beside what holds for all types. */
import type { RouteDeclaration } from '../plugins/wire/server/request';
import type { ActOperation } from './operations';

/** By the name of the call: `create`, `search`, that of an action. */
export type CallTexts = Readonly<Record<string, string>>;

/** The name by which a route's call is described: its controller's action, or the action of the type. */
const nameOf = ({ handler, config: { operation } }: RouteDeclaration): string =>
  operation.kind === 'act'
    ? (operation as ActOperation).action
    : (handler.split('.').at(-1) ?? handler);

/**
 * The routes with their texts: what each call is for, what is easily got wrong, and what it changes.
 *
 * @throws RangeError for the text of a call that is not there
 */
export function withAbout(
  texts: CallTexts,
  routes: readonly RouteDeclaration[],
): RouteDeclaration[] {
  const names = new Set(routes.map(nameOf));
  const strange = Object.keys(texts).filter((name) => !names.has(name));
  if (strange.length > 0) throw new RangeError(`no route is called ${strange.join(', ')}`);
  return routes.map((route) => {
    const about = texts[nameOf(route)];
    if (about === undefined) return route;
    return { ...route, config: { operation: { ...route.config.operation, about } } };
  });
}
