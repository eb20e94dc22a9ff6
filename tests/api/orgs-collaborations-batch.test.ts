// @databases sqlite postgres
import { useWorld } from '../helpers/world';
import { testBatch } from './orgs-collaborations-batch/batch';
import { testCollaborations } from './orgs-collaborations-batch/collaboration';
import { testOrgs } from './orgs-collaborations-batch/org';

const world = useWorld({ env: { LIMIT_READS: '0' } });

describe('orgs', () => testOrgs(world));
describe('collaborations', () => testCollaborations(world));
describe('a batch', () => testBatch(world));
