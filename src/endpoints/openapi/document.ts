/** The OpenAPI 3.1 document of /api/v0, from the routes and the declarations. */
import type { Core } from '@strapi/strapi';
import { registryOf } from '../../plugins/objects/server';
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import type { Resources } from '../../plugins/objects/server/define/completed';
import { wireOf } from '../../plugins/wire/server';
import type { Route } from '../../plugins/wire/server/request';
import type { ActionOperation, DocumentOperation, StandardOperation } from '../operations';
import { describeAction } from './action';
import { envelopeSchemas, errorResponses } from './envelope';
import { typeSchemas } from './schemas';
import { describeDocument, describeStandard } from './standard';

/** The version of the document: that of the interface, not of the service. */
const VERSION = '0.1.0';

const DESCRIPTION = `The interface between the official frontend of a wildlife-data platform and its backend. It is not a
public interface: using it to scrape data violates the terms of use.

Every answer is an envelope: \`success\`, \`response\`, \`transactionId\`, and on a refusal \`message\` with a translation key
and its arguments. A malformed request lists all that is wrong in \`response.invalid\`. Clients ignore what they do not know.`;

/** The document of a running Strapi. */
export function describeApi(strapi: Core.Strapi): JsonSchema {
  const { resources } = registryOf(strapi).model();
  return {
    openapi: '3.1.0',
    info: {
      title: 'Object Management Service',
      version: VERSION,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{}, { cookie: [] }, { bearer: [] }],
    tags: [...resources.values()].map(({ type, description }) => ({ name: type, description })),
    paths: describePaths(wireOf(strapi).routes(), resources),
    components: {
      securitySchemes: {
        cookie: { type: 'apiKey', in: 'cookie', name: 'oms_session' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
      schemas: { ...envelopeSchemas(), ...typeSchemas(resources) },
      responses: errorResponses(),
    },
  };
}

function describePaths(routes: readonly Route[], resources: Resources): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const route of routes) {
    const path = `/api${route.path.replace(/:(\w+)/g, '{$1}')}`;
    (paths[path] ??= {})[route.method.toLowerCase()] = describe(route, resources);
  }
  return paths;
}

function describe({ config, path }: Route, resources: Resources): JsonSchema {
  const operation = config.operation as StandardOperation | ActionOperation | DocumentOperation;
  if (operation.kind === 'document') return describeDocument(operation);
  if (operation.kind === 'action')
    return describeAction(operation, path.endsWith('/:id'), resources);
  return describeStandard(operation, resources);
}
