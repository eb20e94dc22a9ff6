import { withAbout } from '../../../endpoints/about';
import { queryParameter } from '../../../endpoints/openapi/parameters';
import { UUID } from '../../../endpoints/openapi/envelope';
import { HISTORY_RESPONSE, PAGE_PARAMETERS } from '../../../endpoints/openapi/history';
import type { ActionOperation } from '../../../endpoints/operations';
import { historyActions, historyTypes } from '../../../plugins/objects/server/history/parameters';
import { ABOUT } from '../about';

const INSTANT = { type: 'string', examples: ['2026', '2026-03-09', '2026-03-09T08:15:30.123Z'] };

const operation: ActionOperation = {
  kind: 'action',
  name: 'searchHistory',
  tag: 'history',
  summary: 'Find who changed what, and when: objects, settings, roles, limits',
  needsLogin: true,
  parameters: (resources) => [
    queryParameter('object', UUID, 'The object that was changed.'),
    queryParameter('actor', UUID, 'The user who changed it.'),
    queryParameter(
      'type',
      { type: 'string', enum: historyTypes(resources) },
      'The type of the object; `limit` for who has reached a limit.',
    ),
    queryParameter(
      'action',
      { type: 'string', enum: historyActions(resources) },
      'What was done; `exceed` for a limit that was reached.',
    ),
    queryParameter('at_min', INSTANT, 'Not before this time, or the start of this day or year.'),
    queryParameter('at_max', INSTANT, 'Not after this time, or the end of this day or year.'),
    ...PAGE_PARAMETERS,
  ],
  response: HISTORY_RESPONSE,
  refusals: ['NOT_PERMITTED'],
};

export default {
  routes: withAbout(ABOUT, [
    {
      method: 'GET',
      path: '/v0/search/history',
      handler: 'history.search',
      config: { operation },
    },
  ]),
};
