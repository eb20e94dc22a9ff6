import { withAbout } from '../../../endpoints/about';
import { describeBatch } from '../../../endpoints/openapi/batch';
import { ref } from '../../../endpoints/openapi/envelope';
import type { ActionOperation } from '../../../endpoints/operations';
import { ABOUT } from '../about';

const operation: ActionOperation = {
  kind: 'action',
  name: 'batch',
  tag: 'batch',
  summary: 'Carry out up to 500 operations on objects, all or none, in one call',
  needsLogin: true,
  isBulk: true,
  input: describeBatch,
  response: ref('BatchResults'),
  refusals: ['BATCH_FAILED'],
};

export default {
  routes: withAbout(ABOUT, [
    { method: 'POST', path: '/v0/batch', handler: 'batch.carryOut', config: { operation } },
  ]),
};
