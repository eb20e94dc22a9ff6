/** The call by which the objects of a type are suggested while somebody types. */
import type { Core } from '@strapi/strapi';
import { canonicalLanguage } from '../core/formats';
import type { Caller } from '../core/caller';
import { objectsOf, siteOf } from '../plugins/objects/server';
import type { Resource } from '../plugins/objects/server/declare/completed';
import type { ResourceDeclaration } from '../plugins/objects/server/declare/declaration';
import type { JsonSchema } from '../plugins/objects/server/kinds/kind';
import {
  DEFAULT_SUGGESTIONS,
  MAX_SUGGESTIONS,
  MAX_TYPED,
} from '../plugins/objects/server/search/suggest/suggest';
import type { Answer, ApiRequest, RouteDeclaration } from '../plugins/wire/server/request';
import { callerOf } from './controller';
import { extended, pascalCase, ref, UUID, whole } from './openapi/envelope';
import { header, queryParameter } from './openapi/parameters';
import type { ActionOperation } from './operations';

/** The controller action of the call. */
export const createSuggest =
  ({ path: type }: ResourceDeclaration) =>
  ({ strapi }: { strapi: Core.Strapi }) => ({
    async suggest(request: ApiRequest): Promise<Answer> {
      const caller = callerOf(request);
      const language =
        acceptedLanguage(request.req.headers['accept-language']) ??
        (await ownLanguage(strapi, caller)) ??
        siteOf(strapi).current().defaultLanguage;
      const suggestions = await objectsOf(strapi).suggest(type, request.query, language, caller);
      return { response: { suggestions } };
    },
  });

/** The language that a browser prefers (RFC 9110, section 12.5.4); null where it names none. */
export function acceptedLanguage(text = ''): string | null {
  const preferred = text
    .split(',')
    .flatMap((range): (readonly [tag: string, weight: number])[] => {
      const [tag = '', weight = 'q=1'] = range.split(';').map((part) => part.trim());
      const canonical = canonicalLanguage(tag);
      const value = Number(/^q=(\d(?:\.\d{0,3})?)$/i.exec(weight)?.[1] ?? 0);
      return canonical === null || value === 0 ? [] : [[canonical, value]];
    })
    .toSorted(([, a], [, b]) => b - a);
  return preferred[0]?.[0] ?? null;
}

/** The language of the caller's account; null without one. */
async function ownLanguage(strapi: Core.Strapi, caller: Caller): Promise<string | null> {
  if (caller.id === null) return null;
  const { object } = await objectsOf(strapi).inspect('user', caller.id, caller, ['language']);
  return typeof object['language'] === 'string' ? object['language'] : null;
}

/** What is told of any suggested object. */
export const SUGGESTION: JsonSchema = whole({
  id: UUID,
  text: ref('Summary/properties/display_name'),
  matched: {
    type: 'string',
    description:
      'The name in which it was found: where it is not `text`, show both, as in `Anas platyrhynchos (wilde eend)`.',
  },
  detail: { description: 'What else a line of the list shows.' },
});

/** The schema of `response`. */
const response = (type: string, resource: Resource): JsonSchema =>
  whole({
    suggestions: {
      type: 'array',
      maxItems: MAX_SUGGESTIONS,
      items: extended('Suggestion', { detail: detail(type, resource) }, ['detail']),
    },
  });

/** What a card needs beside the name: the summary, and the display names of what is beside it. */
function detail(type: string, { summary, picture, suggested }: Resource): JsonSchema {
  const own = summary.map(({ name }) => [name, summaryOf(type, name)] as const);
  const beside = (suggested?.beside ?? []).map(({ name }) => [
    name,
    {
      description: `The ${name}; null without one.`,
      anyOf: [ref('Summary'), { type: 'null' }],
    },
  ]);
  return {
    type: 'object',
    ...(picture ? { allOf: [ref('SuggestedPicture')] } : {}),
    properties: Object.fromEntries([...own, ...beside]) as JsonSchema,
  };
}

const summaryOf = (type: string, name: string): JsonSchema =>
  ref(`${pascalCase(type)}Summary/properties/${name}`);

/** What is told of the picture of a suggested object. @param type that of pictures */
export const suggestedPicture = (type: string): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    ['renditions', 'alt_text', 'license', 'rights_holder'].map((name) => [
      name,
      summaryOf(type, name),
    ]),
  ),
});

/** The route of the call. */
export function createSuggestRoute({ path: type }: ResourceDeclaration): RouteDeclaration {
  const operation: ActionOperation = {
    kind: 'action',
    name: `suggest${pascalCase(type)}`,
    tag: type,
    summary: `Suggest ${type === 'taxonomy' ? 'taxa' : `${type}s`} by the beginning of a name`,
    reads: type,
    parameters: () => [
      {
        ...queryParameter(
          'q',
          { type: 'string', maxLength: MAX_TYPED },
          'What has been typed so far; accents and case do not matter.',
        ),
        required: true,
      },
      queryParameter(
        'limit',
        { type: 'integer', minimum: 1, maximum: MAX_SUGGESTIONS },
        `How many at most; ${DEFAULT_SUGGESTIONS} where nothing is said.`,
      ),
      header(
        'Accept-Language',
        'The language whose names come first; else that of the account, and else that of the site.',
      ),
    ],
    response(resources) {
      const resource = resources.get(type);
      return resource ? response(type, resource) : {};
    },
    refusals: ['SEARCH_TOO_SLOW'],
  };
  return {
    method: 'GET',
    path: `/v0/suggest/${type}`,
    handler: `${type}.suggest`,
    config: { operation },
  };
}
