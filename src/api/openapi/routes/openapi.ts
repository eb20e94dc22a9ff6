import { withAbout } from '../../../endpoints/about';
import type { DocumentOperation } from '../../../endpoints/operations';
import type { RouteDeclaration } from '../../../plugins/wire/server/request';
import { ABOUT } from '../about';

const operation: DocumentOperation = { kind: 'document', summary: 'This document: OpenAPI 3.1.' };

const routes: { routes: RouteDeclaration[] } = {
  routes: withAbout(ABOUT, [
    { method: 'GET', path: '/v0/openapi.json', handler: 'openapi.read', config: { operation } },
  ]),
};

export default routes;
