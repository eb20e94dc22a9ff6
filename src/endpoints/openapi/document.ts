/** The OpenAPI 3.1 document of /api/v0, from the routes and the declarations. */
import type { Core } from '@strapi/strapi';
import { registryOf } from '../../plugins/objects/server';
import { CUSTOM_FIELD_SCHEMAS } from '../../plugins/objects/server/kinds/custom-field-definitions';
import type { JsonSchema } from '../../plugins/objects/server/kinds/kind';
import type { Resources } from '../../plugins/objects/server/declare/completed';
import { wireOf } from '../../plugins/wire/server';
import type { Route } from '../../plugins/wire/server/request';
import type { AnyOperation } from '../operations';
import { SUGGESTION, suggestedPicture } from '../suggest';
import { describeAct } from './act';
import { describeCall, OF_MANY_CALLS } from './description';
import { describeAction } from './action';
import { BATCH_RESULTS } from './batch';
import { ANSWERS, extended, FOUND, HEADERS, ref, SUCCESS, TRANSACTION_ID, whole } from './envelope';
import { errorSchemas, successMessageSchema } from './errors';
import { referring, shareParameters, type Paths } from './share';
import { shareResponses } from './share-responses';
import { describeRefusals, type Refusals } from './refusal-responses';
import { mayBeMadeByStrangers, refusalsOfCall } from './refusals';
import { typeSchemas } from './schemas';
import { PAGE, SEARCH_SCHEMAS } from './search';
import { withExamples } from './examples';
import { describeFile } from './file';
import { describeHistory, HISTORY, HISTORY_ENTRY } from './history';
import { describeDocument, describeStandard, DOCUMENT_TAG } from './standard';

/** The version of the interface, not of the service. */
const VERSION = '0.1.0';

const DESCRIPTION = `The interface between the official frontend of a wildlife-data platform and its backend. It is not a
public interface: using it to scrape data violates the terms of use.

Every answer is an envelope: \`success\`, \`response\`, \`transactionId\`, and \`message\` with a translation key and its
arguments on a refusal, and on a success of which the user should be told more. A malformed request lists all that is
wrong in \`response.invalid\`. Clients ignore what they do not know.

All texts are in \`/locales/{lng}/translation.json\`, in English, Spanish and French: messages under their keys, the label of
a field under \`FIELD_<type>_<field>\`, that of one of its values under \`VALUE_<type>_<field>_<value>\`
(\`FIELD_encounter_sex\`, \`VALUE_encounter_sex_female\`). In a key whatever is no letter or digit is \`_\`:
\`FIELD_individual_names_value\`, \`VALUE_asset_license_CC_BY_4_0\`. Names of countries are in \`Intl.DisplayNames\`.

${OF_MANY_CALLS}`;

/** The tags of calls that belong to no type. */
const FURTHER_TAGS = [
  { name: 'authentication', description: 'Logins, sessions, passwords and the tokens of mails.' },
  { name: 'batch', description: 'Several changes in one call.' },
  { name: 'history', description: 'Who has changed what and when.' },
  DOCUMENT_TAG,
];

/** Either of them identifies the session. */
const LOGGED_IN = [{ cookie: [] }, { bearer: [] }];

/** A definition of a field as it is answered: it has all that may be absent when it is sent. */
const CUSTOM_FIELD = extended(
  'CustomFieldInput',
  {
    options: {
      type: 'array',
      items: whole({
        value: { type: 'string' },
        label: ref('CustomFieldInput/properties/label'),
      }),
    },
  },
  CUSTOM_FIELD_SCHEMAS['CustomField']?.['required'] as string[],
);

/** The document of a running Strapi. */
export function describeApi(strapi: Core.Strapi): JsonSchema {
  const { resources } = registryOf(strapi).model();
  const wire = wireOf(strapi);
  const refusals = describeRefusals(wire.routes().map((route) => refusalsOfCall(route, resources)));
  const shared = shareResponses(describePaths(wire.routes(), resources, refusals));
  const { paths, parameters } = shareParameters(shared.paths);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Object Management Service',
      version: VERSION,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The operator of the instance: `contact_email` of the site settings' },
    },
    servers: [{ url: '/' }],
    security: [{}, ...LOGGED_IN],
    tags: [
      ...[...resources.values()].map(({ type, description }) => ({ name: type, description })),
      ...FURTHER_TAGS,
    ],
    paths,
    components: {
      securitySchemes: {
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: wire.front().surroundings.settings.cookieName,
        },
        bearer: { type: 'http', scheme: 'bearer', description: 'The secret that `login` answers.' },
      },
      schemas: {
        TransactionId: TRANSACTION_ID,
        Success: SUCCESS,
        Found: FOUND,
        HistoryEntry: HISTORY_ENTRY,
        History: HISTORY,
        ...ANSWERS,
        BatchResults: BATCH_RESULTS,
        SuccessMessage: successMessageSchema(),
        Page: PAGE,
        Suggestion: SUGGESTION,
        SuggestedPicture: suggestedPicture('asset'),
        ...SEARCH_SCHEMAS,
        ...CUSTOM_FIELD_SCHEMAS,
        CustomField: CUSTOM_FIELD,
        ...(referring(typeSchemas(resources), CUSTOM_FIELD_SCHEMAS) as JsonSchema),
        ...errorSchemas(),
      },
      parameters,
      headers: HEADERS,
      responses: {
        ...shared.responses,
        ...refusals.responses,
      },
    },
  };
}

function describePaths(routes: readonly Route[], resources: Resources, refusals: Refusals): Paths {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  const calls = routes.map(({ config }) => config.operation as AnyOperation);
  for (const route of routes) {
    const path = `/api${route.path.replace(/:(\w+)/g, '{$1}')}`;
    (paths[path] ??= {})[route.method.toLowerCase()] = describe(route, calls, resources, refusals);
  }
  return paths;
}

function describe(
  route: Route,
  calls: readonly AnyOperation[],
  resources: Resources,
  refusals: Refusals,
): JsonSchema {
  const operation = route.config.operation as AnyOperation;
  const responses = refusals.responsesOf(refusalsOfCall(route, resources));
  const call = withExamples({
    description: describeCall(operation, resources),
    ...described(route, operation, calls, resources, responses),
  });
  if (!mayBeMadeByStrangers(operation, resources)) return { ...call, security: LOGGED_IN };
  return route.method === 'GET' ? withSessionHeader(call) : call;
}

const SESSION_HEADER = { 'X-Session': { $ref: '#/components/headers/X-Session' } };

/** A read that needs no login: it answers a caller whose session has ended, and tells it so. */
function withSessionHeader(call: JsonSchema): JsonSchema {
  const responses = Object.entries(call['responses'] as Readonly<Record<string, JsonSchema>>);
  const told = responses.map(([status, response]) => {
    if (!(Number(status) < 400)) return [status, response];
    const headers = { ...(response['headers'] as JsonSchema | undefined), ...SESSION_HEADER };
    return [status, { ...response, headers }];
  });
  return { ...call, responses: Object.fromEntries(told) as JsonSchema };
}

function described(
  { path }: Route,
  operation: AnyOperation,
  calls: readonly AnyOperation[],
  resources: Resources,
  responses: JsonSchema,
): JsonSchema {
  if (operation.kind === 'document') return describeDocument(operation, responses);
  if (operation.kind === 'file') return describeFile(operation, responses);
  if (operation.kind === 'act') return describeAct(operation, resources, responses);
  if (operation.kind === 'history') return describeHistory(operation, responses);
  if (operation.kind === 'action')
    return describeAction(operation, path.endsWith('/:id'), calls, resources, responses);
  return describeStandard(operation, resources, responses);
}
