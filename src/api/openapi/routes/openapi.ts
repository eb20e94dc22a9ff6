import type { DocumentOperation } from '../../../endpoints/operations';
import type { RouteDeclaration } from '../../../plugins/wire/server/request';

const operation: DocumentOperation = { kind: 'document', summary: 'This document: OpenAPI 3.1.' };

const routes: { routes: RouteDeclaration[] } = {
  routes: [
    { method: 'GET', path: '/v0/openapi.json', handler: 'openapi.read', config: { operation } },
  ],
};

export default routes;
