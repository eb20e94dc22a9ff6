import { withAbout } from '../../../endpoints/about';
import { queryParameter } from '../../../endpoints/openapi/parameters';
import type { FileOperation } from '../../../endpoints/operations';
import { createRoutes } from '../../../endpoints/routes';
import { createSearchRoutes } from '../../../endpoints/search';
import { IMAGE_TYPES } from '../../../plugins/assets/server/images/signature';
import { RENDITION_NAMES } from '../../../plugins/objects/server/kinds/renditions';
import resource from '../resource';
import { ABOUT } from '../about';

const standard = createRoutes(
  resource,
  {},
  {
    isMultipart: true,
    isGuarded: true,
    answers: { path: { type: 'string', description: 'Where its bytes are.' } },
    mayAnswer: {
      claim: {
        type: 'string',
        description:
          'Of an upload without a login: the right to change it, and to add it to a report. It lasts for 24 hours.',
      },
    },
  },
);

const file: FileOperation = {
  kind: 'file',
  type: 'asset',
  name: 'readAssetFile',
  summary: 'The bytes: the original for its owner and moderators, else a rendition',
  parameters: [
    queryParameter(
      'size',
      { type: 'string', enum: RENDITION_NAMES },
      'Which rendition; without it, the original or `large`.',
    ),
  ],
  mediaTypes: IMAGE_TYPES,
  refusals: ['RANGE_NOT_SATISFIABLE'],
};

export default {
  routes: withAbout(ABOUT, [
    ...standard,
    {
      method: 'GET',
      path: '/v0/asset/:id/file',
      handler: 'asset.file',
      config: { operation: file },
    },
    ...createSearchRoutes(resource),
  ]),
};
