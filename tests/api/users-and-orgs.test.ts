// @databases sqlite postgres
import { useWorld } from '../helpers/world';
import { testBatch } from './orgs-collaborations-batch/batch';
import { testCollaborations } from './orgs-collaborations-batch/collaboration';
import { testOrgs } from './orgs-collaborations-batch/org';
import { testCreate } from './user/create';
import { testDelete } from './user/delete';
import { testRead } from './user/read';
import { testSearch } from './user/search';
import { testUpdate } from './user/update';

const world = useWorld({ env: { LIMIT_READS: '0', LIMIT_REGISTRATIONS: '0' } });

describe('user, search', () => testSearch(world));
describe('user, read', () => testRead(world));
describe('user, update', () => testUpdate(world));
describe('user, delete', () => testDelete(world));
describe('user, create', () => testCreate(world));
describe('orgs', () => testOrgs(world));
describe('collaborations', () => testCollaborations(world));
describe('a batch', () => testBatch(world));
